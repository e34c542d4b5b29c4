// Package chromium opens pages of reports in a headless Chromium. It is a module of its own:
// what drives a browser is nothing that the command needs. .ci/browser writes the pages.
package chromium

import (
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
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
)

var screenshots = flag.String("screenshots", "", "folder that keeps a picture of each page; none are kept without")

var loadgen = flag.String("loadgen", "", "the command, of which runs are looked at while they go on")

var (
	made = flag.String("made", "", "folder of the pages that report/html has made by hand")
	real = flag.String("real", "", "folder of pages of real runs, which are opened, too")
)

// must ends a test that cannot go on.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// page is one that is made by hand.
func page(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(*made, name+".html"))
	if err != nil {
		t.Fatalf("%v; .ci/browser writes the pages", err)
	}
	return content
}

// browse starts a Chromium of its own, which ends with the test.
func browse(t *testing.T) context.Context {
	t.Helper()
	options := slices.Clone(chromedp.DefaultExecAllocatorOptions[:])
	for _, name := range []string{"no-sandbox", "disable-gpu", "disable-quic", "disable-component-update", "no-first-run", "hide-scrollbars"} {
		options = append(options, chromedp.Flag(name, true))
	}
	if path := os.Getenv("CHROMIUM"); path != "" {
		options = append(options, chromedp.ExecPath(path))
	}
	limited, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	allocated, cancel := chromedp.NewExecAllocator(limited, options...)
	t.Cleanup(cancel)
	browser, cancel := chromedp.NewContext(allocated)
	t.Cleanup(cancel)
	if err := chromedp.Do(browser); err != nil {
		t.Fatalf("Chromium does not start: %v", err)
	}
	return browser
}

// tab is a page that is open in the browser, and what it was heard to do.
type tab struct {
	t    *testing.T
	ctx  context.Context
	file string

	mu       sync.Mutex
	requests []string
	said     []string
}

type view struct {
	width, height int64
	dark          bool
}

func (v view) String() string {
	theme := "light"
	if v.dark {
		theme = "dark"
	}
	return fmt.Sprintf("%d-%s", v.width, theme)
}

// open shows a page from a file.
func open(t *testing.T, browser context.Context, v view, content []byte, before ...step) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	must(t, os.WriteFile(file, content, 0o600))
	opened := visit(t, browser, v, (&url.URL{Scheme: "file", Path: file}).String(), before...)
	opened.file = file
	return opened
}

// visit shows a page by its URL.
func visit(t *testing.T, browser context.Context, v view, at string, before ...step) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	opened := &tab{t: t, ctx: ctx}
	must(t, chromedp.Listen(ctx, opened.hear))
	scheme := "light"
	if v.dark {
		scheme = "dark"
	}
	actions := append([]step{
		command(network.Enable, network.EnableParams{}), command(log.Enable, cdp.Empty{}), command(runtime.Enable, cdp.Empty{}),
		command(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: v.width, Height: v.height, DeviceScaleFactor: 1, Mobile: v.width < 500}),
		command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: scheme},
				// A page that still scrolls is clicked at beside what is meant.
				{Name: "prefers-reduced-motion", Value: "reduce"},
			}}),
	}, before...)
	actions = append(actions, chromedp.Navigate(at))
	opened.run(actions...)
	return opened
}

// hear notes what the page asks for, and what goes wrong in it.
func (o *tab) hear(event any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		o.requests = append(o.requests, e.Request.URL)
	case *runtime.EventConsoleAPICalled:
		o.said = append(o.said, string(e.Type))
	case *runtime.EventExceptionThrown:
		o.said = append(o.said, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		o.said = append(o.said, e.Entry.Text)
	}
}

func (o *tab) run(actions ...step) {
	o.t.Helper()
	must(o.t, chromedp.Do(o.ctx, actions...))
}

// unfold opens all parts, and waits until their series are drawn.
func (o *tab) unfold() {
	o.t.Helper()
	ask[bool](o, `(() => { for (const part of document.querySelectorAll(".part")) part.open = true; return true })()`)
	answer(o, chromedp.Poll[bool](`[...document.querySelectorAll("figure.series")].every((e) => "drawn" in e.dataset)`))
}

// ask evaluates JavaScript in the page.
func ask[T any](o *tab, expression string) T {
	o.t.Helper()
	return answer(o, chromedp.Evaluate[T](expression))
}

// answer runs an action that has one.
func answer[T any](o *tab, action chromedp.Action[T]) T {
	o.t.Helper()
	got, err := chromedp.Run(o.ctx, action)
	must(o.t, err)
	return got
}

// step is an action without an answer.
type step = chromedp.Action[chromedp.Void]

// command is a step that sends one of the protocol.
func command[P, R any](c cdp.Command[P, R], params P) step {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, c, params)
		return err
	})
}

// quiet holds that the page said nothing and asked for nothing but itself.
func (o *tab) quiet() {
	o.t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, text := range o.said {
		o.t.Errorf("the console says %q", text)
	}
	pages := 0
	for _, asked := range o.requests {
		switch {
		case asked == "file://"+o.file:
			pages++
		case !strings.HasPrefix(asked, "data:"):
			o.t.Errorf("the page asks for %s", asked)
		}
	}
	if pages != 1 {
		o.t.Errorf("the page was asked for %d times; want once, or nothing was heard", pages)
	}
}

// keep writes a picture of the whole page into the folder of the flag.
func (o *tab) keep(name string) {
	o.t.Helper()
	if *screenshots == "" {
		return
	}
	o.write(name+".png", answer(o, chromedp.FullScreenshot(100)))
}

func (o *tab) write(name string, content []byte) {
	o.t.Helper()
	must(o.t, os.MkdirAll(*screenshots, 0o755))
	must(o.t, os.WriteFile(filepath.Join(*screenshots, name), content, 0o644))
}

func views() []view {
	return []view{{1280, 900, false}, {1280, 900, true}, {390, 844, false}, {390, 844, true}}
}
