package page

import (
	"go/scanner"
	"go/token"
	"html/template"
	"slices"
	"strings"

	"lockstep/model"
)

// file is a source file of the protocol, ready to be shown.
type file struct {
	// Name is as in the trace, Base its last part.
	Name, Base string
	Lines      []template.HTML
}

// files returns the sources that a trace mentions and the document has, in the order in which
// they are first mentioned.
func files(d *Document) []file {
	var found []file
	see := func(s *model.Source) {
		if s == nil || slices.ContainsFunc(found, func(f file) bool { return f.Name == s.File }) {
			return
		}
		if text, ok := d.Sources[s.File]; ok {
			found = append(found, file{s.File, baseName(s.File), highlight(text)})
		}
	}
	for _, t := range d.Traces {
		for i := range t.Steps {
			see(t.Steps[i].Source)
			for m := range t.Steps[i].Marks {
				see(t.Steps[i].Marks[m].Source)
			}
		}
	}
	return found
}

// highlight returns the lines of Go source with comments, keywords and literals marked. What is
// not Go is shown all the same.
func highlight(text string) []template.HTML {
	text = strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\r", "")
	var s scanner.Scanner
	fset := token.NewFileSet()
	f := fset.AddFile("", fset.Base(), len(text))
	s.Init(f, []byte(text), func(token.Position, string) {}, scanner.ScanComments)
	w := highlighter{}
	at := 0
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			break
		}
		class := classOf(tok)
		if class == "" || literal == "" {
			continue
		}
		// A literal of several lines may have lost carriage returns; those are gone already.
		from := min(max(f.Offset(pos), at), len(text))
		to := min(from+len(literal), len(text))
		w.add("", text[at:from])
		w.add(class, text[from:to])
		at = to
	}
	w.add("", text[at:])
	return w.end()
}

func classOf(t token.Token) string {
	switch {
	case t == token.COMMENT:
		return "comment"
	case t.IsKeyword():
		return "keyword"
	case t == token.STRING || t == token.CHAR || t == token.INT || t == token.FLOAT:
		return "literal"
	}
	return ""
}

// highlighter collects lines.
type highlighter struct {
	lines []template.HTML
	line  strings.Builder
}

func (h *highlighter) add(class, text string) {
	for i, part := range strings.Split(text, "\n") {
		if i > 0 {
			h.lines = append(h.lines, template.HTML(h.line.String()))
			h.line.Reset()
		}
		if part == "" {
			continue
		}
		if class != "" {
			h.line.WriteString(`<span class="` + class + `">` + template.HTMLEscapeString(part) + `</span>`)
		} else {
			h.line.WriteString(template.HTMLEscapeString(part))
		}
	}
}

func (h *highlighter) end() []template.HTML {
	return append(h.lines, template.HTML(h.line.String()))
}
