package page_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"lockstep/model/timeline/internal/golden"
	"lockstep/model/timeline/page"
)

// requireBrowser is the variable of the environment that makes a missing browser a failure.
const requireBrowser = "REQUIRE_BROWSER"

// browser is a tab, with what it complains about and asks for.
type browser struct {
	t   *testing.T
	ctx context.Context
	dir string

	mu                  sync.Mutex
	complaints, fetched []string
}

// open starts a browser with a profile of its own. It skips the test if there is none.
func open(t *testing.T) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome", "headless-shell"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		message := "there is no chromium in the PATH; on Debian, apt-get install chromium"
		if os.Getenv(requireBrowser) != "" {
			t.Fatal(message)
		}
		t.Skip(message + " (" + requireBrowser + "=1 makes this a failure)")
	}
	b := &browser{t: t, dir: t.TempDir()}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, chromedp.Headless, chromedp.NoSandbox, chromedp.ExecPath(path))
	t.Cleanup(cancel)
	b.ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b.do(chromedp.Navigate("about:blank"))
	if err := chromedp.Listen(b.ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	b.do(
		call(log.Enable, cdp.Empty{}),
		call(network.Enable, network.EnableParams{}),
	)
	return b
}

// call is a command of the browser whose answer is of no interest.
func call[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, command, params)
		return err
	})
}

// hear notes what the browser says.
func (b *browser) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *log.EventEntryAdded:
		b.complaints = append(b.complaints, e.Entry.Text)
	case *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.complaints = append(b.complaints, "a call of the console")
	case *network.EventRequestWillBeSent:
		b.fetched = append(b.fetched, e.Request.URL)
	}
}

// heard returns what the browser has complained about and forgets it.
func (b *browser) heard() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	complaints := b.complaints
	b.complaints = nil
	return complaints
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// eval returns the value of an expression, as JSON is read into a T.
func eval[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// media sets the width of the window and a preference.
func (b *browser) media(width int64, feature, value string) {
	b.t.Helper()
	b.do(
		chromedp.EmulateViewport(width, 900),
		call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: feature, Value: value}}}),
	)
}

// load writes a page to a file and returns its address.
func (b *browser) load(name, text string) string {
	b.t.Helper()
	file := filepath.Join(b.dir, name+".html")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		b.t.Fatal(err)
	}
	return "file://" + file
}

// visit opens an address anew.
func (b *browser) visit(address string) {
	b.t.Helper()
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(address))
}

// at is what a page shows of the step it is at.
type at struct {
	Now, Hash string
	// Row is the number of the row that is marked, Lit that of the line, 0 for none.
	Row, Lit int
	// Cursor is where the cursor is in the chart, Column where the column of the step is.
	Cursor, Column string
}

const where = `(() => {
	const run = document.querySelector("article.run:not([hidden])");
	const rows = Array.from(run.querySelectorAll("tr.step"));
	const row = rows.findIndex((r) => r.getAttribute("aria-current") === "step");
	const lit = document.querySelector(".file:not([hidden]) li.lit");
	return {
		Now: document.querySelector("#now b").textContent, Hash: location.hash, Row: row + 1,
		Lit: lit ? Array.from(lit.parentElement.children).indexOf(lit) + 1 : 0,
		Cursor: run.querySelector(".cursor").getAttribute("x"),
		Column: run.querySelector('[data-step="' + row + '"]').getAttribute("x"),
	};
})()`

// expect complains unless the page is at the step, from 1 on.
func (b *browser) expect(d page.Document, run, step int) {
	b.t.Helper()
	trace := d.Traces[run]
	got := eval[at](b, where)
	want := at{Now: fmt.Sprintf("Step %d of %d", step, len(trace.Steps)), Hash: fmt.Sprintf("#%d", step), Row: step, Cursor: got.Column, Column: got.Column}
	if len(d.Traces) > 1 {
		want.Hash = fmt.Sprintf("#trace=%d&step=%d", run+1, step)
	}
	if s := trace.Steps[step-1].Source; s != nil {
		want.Lit = s.Line
	}
	if got != want {
		b.t.Errorf("the page is at %+v, not at %+v", got, want)
	}
}

func TestInABrowser(t *testing.T) {
	b := open(t)
	one := lease(t)
	several := lease(t)
	several.Traces = append(several.Traces, golden.Trace(t, "testdata/setnx.json"), golden.Trace(t, "../testdata/history.json"))
	several.Sources["lockstep/protocol/catalogue/setnx.go"] = source(80)
	address := b.load("one", write(t, one))
	severalAddress := b.load("several", write(t, several))
	hostileAddress := b.load("hostile", write(t, hostile()))
	steps := len(one.Traces[0].Steps)

	run := func(name string, test func(t *testing.T, b *browser)) {
		t.Run(name, func(t *testing.T) {
			inner := &browser{t: t, ctx: b.ctx, dir: b.dir}
			b.heard()
			test(t, inner)
			for _, c := range b.heard() {
				t.Errorf("the browser complains: %s", c)
			}
		})
	}

	run("keys step, and the address follows", func(t *testing.T, b *browser) {
		b.media(1440, "prefers-color-scheme", "light")
		b.visit(address)
		for i := 1; i <= steps; i++ {
			b.expect(one, 0, i)
			b.do(chromedp.KeyEvent([]string{kb.ArrowRight, "j"}[i%2]))
		}
		b.expect(one, 0, steps)
		b.do(chromedp.KeyEvent(kb.ArrowLeft))
		b.expect(one, 0, steps-1)
		b.do(chromedp.KeyEvent("k"))
		b.expect(one, 0, steps-2)
		b.do(chromedp.KeyEvent(kb.Home))
		b.expect(one, 0, 1)
		b.do(chromedp.KeyEvent(kb.End))
		b.expect(one, 0, steps)
		if live := eval[string](b, `document.getElementById("now").getAttribute("aria-live")`); live != "polite" {
			t.Errorf("the step is announced %q", live)
		}
	})

	run("an address opens its step", func(t *testing.T, b *browser) {
		for hash, step := range map[string]int{"#13": 13, "#step=4": 4, "#0": 1, "#99999": steps, "#x": 1} {
			b.visit(address + hash)
			b.expect(one, 0, step)
		}
		b.visit(severalAddress + "#trace=2&step=5")
		b.expect(several, 1, 5)
		if n := eval[int](b, `document.querySelectorAll("article.run:not([hidden])").length`); n != 1 {
			t.Errorf("%d runs are shown", n)
		}
		b.do(chromedp.Click(chromedp.CSS(`nav.runs a[data-run="3"]`)))
		b.expect(several, 2, 1)
		eval[any](b, `location.hash = "#trace=1&step=7"; 0`)
		b.do(chromedp.Sleep(100 * time.Millisecond))
		b.expect(several, 0, 7)
	})

	run("clicks step", func(t *testing.T, b *browser) {
		b.visit(address)
		b.do(chromedp.Click(chromedp.CSS(`[data-step="4"]`)))
		b.expect(one, 0, 5)
		b.do(chromedp.Click(chromedp.CSS(`button[data-go="on"]`)))
		b.expect(one, 0, 6)
		eval[any](b, `document.querySelectorAll("tr.step")[8].click()`)
		b.expect(one, 0, 9)
	})

	run("no page is wider than its window", func(t *testing.T, b *browser) {
		for _, a := range []string{address, severalAddress, severalAddress + "#trace=3", hostileAddress} {
			for _, width := range []int64{320, 390, 820, 1440} {
				b.media(width, "prefers-color-scheme", "light")
				b.visit(a)
				if got := eval[int64](b, "document.documentElement.scrollWidth"); got > width {
					t.Errorf("%s has %d pixels in a window of %d", filepath.Base(a), got, width)
				}
			}
		}
	})

	run("texts are legible in the light and in the dark", func(t *testing.T, b *browser) {
		for _, scheme := range []string{"light", "dark"} {
			b.media(1440, "prefers-color-scheme", scheme)
			b.visit(severalAddress + "#trace=1&step=19")
			if dark := eval[float64](b, luminance+`lum(getComputedStyle(document.body).backgroundColor)`) < 0.2; dark != (scheme == "dark") {
				t.Errorf("%s: the page is dark: %v", scheme, dark)
			}
			for _, text := range eval[[]string](b, luminance+faint) {
				t.Errorf("%s: %s", scheme, text)
			}
		}
	})

	run("who wants no motion sees none", func(t *testing.T, b *browser) {
		b.media(1440, "prefers-reduced-motion", "reduce")
		b.visit(address)
		if got := eval[string](b, `getComputedStyle(document.querySelector(".cursor")).transitionDuration`); got != "0s" {
			t.Errorf("the cursor moves for %s", got)
		}
	})

	run("what can be reached has a name, and focus can be seen", func(t *testing.T, b *browser) {
		b.media(1440, "prefers-color-scheme", "light")
		b.visit(severalAddress)
		for _, e := range eval[[]string](b, nameless) {
			t.Errorf("without a name, or with one of something else: %s", e)
		}
		seen := map[string]bool{}
		for range 12 {
			b.do(chromedp.KeyEvent(kb.Tab))
			focus := eval[[]string](b, `(() => { const e = document.activeElement, s = getComputedStyle(e); return [e.tagName, s.outlineStyle + parseFloat(s.outlineWidth)]; })()`)
			seen[focus[0]] = true
			if focus[1] != "solid3" {
				t.Errorf("the focus on %s has the outline %s", focus[0], focus[1])
			}
		}
		if !seen["A"] || !seen["BUTTON"] || !seen["DIV"] {
			t.Errorf("Tab reaches only %v", seen)
		}
	})

	run("hostile texts make no elements", func(t *testing.T, b *browser) {
		b.visit(hostileAddress)
		for range 6 {
			b.do(chromedp.KeyEvent("j"))
		}
		if n := eval[int](b, `document.querySelectorAll("evil, img, main b b, body > :not(header, main, footer, script, a)").length`); n != 0 {
			t.Errorf("%d elements come from texts", n)
		}
		if got := eval[string](b, `document.querySelector("#now b").textContent`); got != "Step 5 of 5" {
			t.Errorf("the page is at %q", got)
		}
	})

	run("without scripts every run is there", func(t *testing.T, b *browser) {
		b.do(call(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
		b.media(390, "prefers-color-scheme", "light")
		b.visit(severalAddress)
		b.do(call(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: false}))
		if n := eval[int](b, `Array.from(document.querySelectorAll("article.run, tr.step, .file")).filter((e) => e.checkVisibility()).length`); n < 3+steps+2 {
			t.Errorf("only %d runs, steps and files can be seen", n)
		}
		if got := eval[int](b, "document.documentElement.scrollWidth"); got > 390 {
			t.Errorf("the page has %d pixels", got)
		}
	})

	b.mu.Lock()
	defer b.mu.Unlock()
	for _, url := range b.fetched {
		if !strings.HasPrefix(url, "file://"+b.dir) && url != "about:blank" {
			t.Errorf("the page asks for %s", url)
		}
	}
	if len(b.fetched) == 0 {
		t.Error("nothing was asked for: this test does not look")
	}
}

// A script that was tampered with does not run, and the tests above would hear of it.
func TestThePolicyIsEnforced(t *testing.T) {
	b := open(t)
	text := strings.Replace(write(t, lease(t)), `"use strict";`, `"use strict"; document.title = "tampered";`, 1)
	b.visit(b.load("tampered", text))
	if title := eval[string](b, "document.title"); title != "A lease under a pause" {
		t.Errorf("the script ran: the title is %q", title)
	}
	if heard := b.heard(); len(heard) == 0 {
		t.Error("nobody complained")
	}
}

// nameless lists the elements that lack a name, refer to none or share an id.
const nameless = `(() => {
	const found = [];
	for (const e of document.querySelectorAll("a, button, summary, meter, nav, section, [role]")) {
		const by = e.getAttribute("aria-labelledby");
		const name = by ? (document.getElementById(by) || { textContent: "" }).textContent : e.getAttribute("aria-label") || e.textContent;
		if (!name.trim()) found.push(e.outerHTML.slice(0, 80));
	}
	const ids = new Set();
	for (const e of document.querySelectorAll("[id]")) {
		if (ids.has(e.id)) found.push("#" + e.id);
		ids.add(e.id);
	}
	return found;
})()`

// luminance defines lum, the relative luminance of a colour (WCAG 2.2), and ratio, the contrast
// of two.
const luminance = `
function channels(c) {
	const m = c.match(/[\d.]+/g).map(Number);
	return m.length < 4 ? [...m, 1] : m;
}
function lum(c) {
	const [r, g, b] = channels(c).map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function ratio(a, b) {
	const [x, y] = [lum(a), lum(b)];
	return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}
`

// faint lists the texts whose contrast is below 4.5: those of the page to what is behind them,
// those of the chart to all that can be behind them.
const faint = `(() => {
	const found = new Set();
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let n = walker.nextNode(); n; n = walker.nextNode()) {
		const e = n.parentElement;
		if (!n.data.trim() || !e.checkVisibility() || e.closest("script, svg, .quiet, .skip, [aria-disabled=true]")) continue;
		let behind = e;
		while (behind && channels(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
		const r = ratio(getComputedStyle(e).color, getComputedStyle(behind || document.body).backgroundColor);
		if (r < 4.5) found.add(e.tagName + "." + e.className + " has contrast " + r.toFixed(2) + ": " + n.data.trim().slice(0, 30));
	}
	for (const svg of document.querySelectorAll("article:not([hidden]) svg.lanes:not(.key)")) {
		const grounds = Array.from(svg.querySelectorAll(".wedge, .ground, .instant, .plate, rect.value, .conflict, .marker .shape")).map((e) => getComputedStyle(e).fill);
		for (const e of svg.querySelectorAll(".bar-text, .mark")) for (const g of new Set(grounds)) {
			const r = ratio(getComputedStyle(e).fill, g);
			if (r < 4.5) found.add("the text " + e.textContent + " has contrast " + r.toFixed(2) + " to " + g);
		}
		const surface = getComputedStyle(document.querySelector(".chart")).backgroundColor;
		for (const e of svg.querySelectorAll("text")) for (const g of [surface, getComputedStyle(svg.querySelector(".instant")).fill]) {
			const r = ratio(getComputedStyle(e).fill, g);
			if (r < 4.5) found.add("the text " + e.textContent + " has contrast " + r.toFixed(2) + " to " + g);
		}
	}
	return Array.from(found);
})()`
