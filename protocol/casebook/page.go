package casebook

import (
	"fmt"
	"strings"

	"lockstep/scheduler"
)

// Page returns all cases as a page in Markdown.
func Page() string {
	var b strings.Builder
	all := All()
	fmt.Fprintf(&b, `# Casebook

%d ways in which locks and caches break that people have met and reported, each in ten to
thirty lines of protocol code before and after the repair. The verdicts are those of
exhaustive searches within the bounds that stand there: `+"`lockstep casebook check L-03`"+`
repeats one and shows the counterexample. Negative controls were reported, too, and are
none: nothing is flagged there. This page is generated; [CONTRIBUTING.md](../CONTRIBUTING.md)
says how to add a case.
`, len(all))
	for _, kind := range Kinds() {
		first := true
		for i := range all {
			c := &all[i]
			if c.Kind != kind {
				continue
			}
			if first {
				fmt.Fprintf(&b, "\n- %s:", kind)
			} else {
				b.WriteString(",")
			}
			first = false
			fmt.Fprintf(&b, " [%s](#%s)", c.ID, anchor(c))
		}
	}
	b.WriteString("\n")
	var kind Kind
	for i := range all {
		c := &all[i]
		if c.Kind != kind {
			kind = c.Kind
			fmt.Fprintf(&b, "\n## %s\n", strings.ToUpper(string(kind[:1]))+string(kind[1:]))
		}
		c.section(&b)
	}
	return b.String()
}

// anchor is where the heading of a case can be linked to.
func anchor(c *Case) string {
	var b strings.Builder
	for _, r := range strings.ToLower(c.heading()) {
		switch {
		case r == ' ' || r == '-':
			b.WriteByte('-')
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		}
	}
	return b.String()
}

func (c *Case) heading() string { return c.ID + " " + c.Title }

func (c *Case) section(b *strings.Builder) {
	file, _, _ := c.Code()
	fmt.Fprintf(b, "\n### %s\n\n%s\n", c.heading(), c.Lesson)
	if c.Differs != "" {
		fmt.Fprintf(b, "\nThe checker and the report: %s\n", c.Differs)
	}
	b.WriteString("\n| shows | property | before | after |\n|---|---|---|---|\n")
	for i := range c.Checks {
		k := &c.Checks[i]
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", k.Shows, k.Property.Name(), k.before(), k.after())
	}
	fmt.Fprintf(b, "\nCode: [%s](../protocol/casebook/%s). Reported:", file, file)
	for i, s := range c.Sources {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(b, " <%s>", s)
	}
	b.WriteString(".\n")
}

// before and after are the verdicts that the check expects, in words.
func (k *Check) before() string {
	if k.Before == nil {
		return "-"
	}
	return fmt.Sprintf("violated, %s, %s", count(k.Faults, "fault"), count(k.Steps, "step"))
}

func (k *Check) after() string {
	text := string(scheduler.Holds)
	if k.Unrepaired != nil {
		text += "; " + k.Unrepaired.Name() + " is violated all the same"
	}
	return text
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
