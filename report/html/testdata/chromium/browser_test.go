package chromium

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// box is where an element is, in pixels of the window.
type box struct {
	Name                     string
	Left, Top, Width, Height float64
}

const boxes = `.map((e) => { const r = e.getBoundingClientRect(); return {Name: (e.closest("figure") || e).id || e.className, Left: r.left, Top: r.top + scrollY, Width: r.width, Height: r.height}; })`

// pages are what is opened: a page of a document made by hand, and those of real runs.
func pages(t *testing.T) map[string][]byte {
	list := map[string][]byte{"stress": page(t, "stress")}
	files, err := filepath.Glob(filepath.Join(*real, "*.html"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages are in %s: %v", *real, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		must(t, err)
		list[strings.TrimSuffix(filepath.Base(file), ".html")] = content
	}
	return list
}

// What a page answers is seen before anybody scrolls: the colour of its state, the number,
// larger than all else, and the chart.
func TestBrowserShowsTheAnswerFirst(t *testing.T) {
	const fold = 900
	browser := browse(t)
	for name, content := range pages(t) {
		for _, v := range views() {
			t.Run(name+"-"+v.String(), func(t *testing.T) {
				o := open(t, browser, v, content)
				for _, part := range []struct {
					name, selector string
					most           int
				}{{"the state", ".hero .state", 1}, {"the number", ".hero:has(.number) .number, .hero:not(:has(.number)) .claim", 1}, {"the chart", ".hero figure .picture svg, .hero figure canvas", 1}} {
					found := ask[[]box](o, `[...document.querySelectorAll("`+part.selector+`")].slice(0, 1)`+boxes)
					if len(found) == 0 {
						if part.name != "the chart" || name == "stress" || strings.HasPrefix(name, "run") {
							t.Errorf("%s is not there", part.name)
						}
						continue
					}
					scrolls := part.name == "the chart" && ask[bool](o, `document.querySelector(".hero figure .picture svg.wide") !== null`)
					if at := found[0]; at.Top+at.Height > fold || at.Left < 0 || at.Left+at.Width > float64(v.width) && !scrolls || at.Height < 20 {
						t.Errorf("%s is at %+v; want all of it in the first %d pixels, %d wide", part.name, at, fold, v.width)
					}
				}
				if plain := ask[bool](o, `getComputedStyle(document.querySelector(".state")).backgroundColor === getComputedStyle(document.body).backgroundColor`); plain {
					t.Error("the box of the state has no colour")
				}
				if largest := ask[bool](o, `(() => { const size = (e) => parseFloat(getComputedStyle(e).fontSize); const number = document.querySelector(".number");
					return !number || [...document.querySelectorAll("body *")].every((e) => number.contains(e) || size(e) < size(number)) })()`); !largest {
					t.Error("something is larger than the number")
				}
				if wide := ask[int64](o, `document.documentElement.scrollWidth`); wide > v.width {
					t.Errorf("the page is %d pixels wide; want it to fit into %d", wide, v.width)
				}
				light := ask[float64](o, `getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number).reduce((a, b) => a + b) / 3`)
				if v.dark != (light < 60) || v.dark != (light < 240) {
					t.Errorf("the paper has the brightness %.0f of 255; dark is %v", light, v.dark)
				}
				if cut := ask[[]string](o, `[...document.querySelectorAll(".caption, h3")].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)`); len(cut) > 0 {
					t.Errorf("cut off are %q", cut)
				}
				o.keep(name + "-" + v.String())
				o.unfold()
				if mute := ask[int](o, `[...document.querySelectorAll(".scroll")].filter((e) => e.scrollWidth > e.clientWidth && !("wide" in e.dataset)).length`); mute > 0 {
					t.Errorf("%d tables and pictures scroll without saying so", mute)
				}
				if folded := ask[int](o, `[...document.querySelectorAll("figure.series")].filter((e) => e.querySelector("canvas") === null && JSON.parse(e.querySelector("script").textContent).x.length > 0).length`); folded > 0 {
					t.Errorf("%d series are not drawn", folded)
				}
				o.quiet()
			})
		}
	}
}

func TestBrowserDrawsSeriesInTheirColours(t *testing.T) {
	browser := browse(t)
	for _, v := range views() {
		o := open(t, browser, v, page(t, "stress"))
		o.unfold()
		for _, name := range []string{"served", "throttled", "failed", "offered", "target"} {
			if n := ask[int](o, fmt.Sprintf(inkOn, name)); n < 20 {
				t.Errorf("%s: the rate has %d pixels in the colour of %s; want a line", v, n, name)
			}
		}
		o.quiet()
	}
}

// inkOn counts the pixels of the first series that are in the colour of a token.
const inkOn = `(() => {
	const canvas = document.querySelector("#rate canvas");
	const hex = getComputedStyle(document.documentElement).getPropertyValue("--%s").trim();
	const want = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
	const copy = document.createElement("canvas");
	copy.width = canvas.width; copy.height = canvas.height;
	const ink = copy.getContext("2d", {willReadFrequently: true});
	ink.drawImage(canvas, 0, 0);
	const { data } = ink.getImageData(0, 0, copy.width, copy.height);
	let n = 0;
	for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200 && want.every((c, k) => Math.abs(data[i + k] - c) <= 3)) n++;
	return n;
})()`

const values = `[...document.querySelectorAll("#%s .value")].map((e) => e.textContent)`

func TestBrowserHoverShowsValues(t *testing.T) {
	browser := browse(t)
	for _, v := range views() {
		t.Run(v.String(), func(t *testing.T) {
			o := open(t, browser, v, page(t, "bare"))
			o.unfold()
			if got := ask[[]string](o, fmt.Sprintf(values, "rate")); strings.Join(got, "") != "" {
				t.Errorf("before a hover the legend says %q; want nothing", got)
			}
			o.run(chromedp.ScrollIntoView(chromedp.CSS("#rate .u-over")))
			over := ask[[]box](o, `[document.querySelector("#rate .u-over")]`+boxes)[0]
			at := ask[float64](o, `scrollY`)
			// Two thirds and a half of 60 seconds: second 49 or so, in the highest step.
			o.run(command(input.DispatchMouseEvent, input.DispatchMouseEventParams{
				Type: input.DispatchMouseEventTypeMouseMoved,
				X:    over.Left + over.Width*49/59, Y: over.Top - at + over.Height/2,
			}))
			answer(o, chromedp.Poll[bool](`document.querySelector("#rate .at").textContent !== ""`))
			got := ask[[]string](o, fmt.Sprintf(values, "rate"))
			if moment := ask[string](o, `document.querySelector("#rate .at").textContent`); moment != "at 49 s" {
				t.Errorf("the hover is %q; want at 49 s", moment)
			}
			want := hovered(t)
			for i, name := range ask[[]string](o, `[...document.querySelectorAll("#rate .key")].map((e) => e.textContent)`) {
				if _, is := want[name]; !is || strings.ReplaceAll(got[i], ",", "") != fmt.Sprint(want[name]) {
					t.Errorf("the hover says %s %s; want %v", name, got[i], want)
				}
				delete(want, name)
			}
			if len(want) > 0 {
				t.Errorf("the hover says nothing of %v", want)
			}
			if other := ask[[]string](o, fmt.Sprintf(values, "p99")); other[0] == "" || other[1] == "" {
				t.Errorf("the other charts say %q; want the same instant there", other)
			}
			o.keep("hover-" + v.String())
			o.quiet()
		})
	}
}

// hovered are the values of the rate at 49 s, by the names of its lines.
func hovered(t *testing.T) (values map[string]float64) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(*made, "hovered.json"))
	if err == nil {
		err = json.Unmarshal(text, &values)
	}
	if err != nil || len(values) != 4 {
		t.Fatalf("%v at 49 s, %v; want those of four lines", values, err)
	}
	return values
}

func TestBrowserSeriesByKeyboard(t *testing.T) {
	o := open(t, browse(t), views()[0], page(t, "bare"))
	o.unfold()
	o.run(chromedp.Focus(chromedp.CSS("#rate input")), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	if text := ask[string](o, `document.querySelector("#rate input").getAttribute("aria-valuetext")`); !strings.HasPrefix(text, "at 2 s: offered 1,000, served ") {
		t.Errorf("two steps to the right say %q; want the values at 2 s", text)
	}
	o.run(chromedp.Click(chromedp.CSS("#rate .key")))
	if ask[string](o, `document.querySelector("#rate .key").getAttribute("aria-pressed")`) != "false" {
		t.Error("the key of a line says that it is still on")
	}
	// It is drawn anew when the browser gets round to it.
	answer(o, chromedp.Poll[bool](fmt.Sprintf(inkOn, "offered")+" < 20"))
	o.quiet()
}

func TestBrowserTellsScreenReaders(t *testing.T) {
	o := open(t, browse(t), views()[0], page(t, "stress"))
	o.unfold()
	o.run(command(accessibility.Enable, cdp.Empty{}))
	tree := answer(o, func(ctx context.Context, target *chromedp.Target) (accessibility.GetFullAXTreeResult, error) {
		return cdp.Call(ctx, target, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	})
	text := func(v *accessibility.Value) string {
		if v == nil {
			return ""
		}
		return strings.Trim(string(v.Value), `"`)
	}
	heard := map[string][]string{}
	for _, n := range tree.Nodes {
		if !n.Ignored {
			heard[text(n.Role)] = append(heard[text(n.Role)], text(n.Name))
		}
	}
	for role, want := range map[string][]string{
		"heading":            {"Stress test of one partition", "Answer", "At a glance", "Verdict", "Expectations", "Served bends at 2,000 entities/s"},
		"table":              {"Expectations of the scenario"},
		"image":              {"drawn", "Rate entities/s", "Response time ms"},
		"figure":             {"Rate entities/s"},
		"main":               {""},
		"banner":             {""},
		"contentinfo":        {""},
		"navigation":         {"Contents"},
		"link":               {"Skip to the report"},
		"rowheader":          {"1,000"},
		"columnheader":       {"p50", "offered entities/s", "response ms"},
		"slider":             {"Instant"},
		"button":             {"offered"},
		"DisclosureTriangle": {"Events (4)"},
	} {
		for _, name := range want {
			if !slices.Contains(heard[role], name) {
				t.Errorf("no %s is called %q among %q", role, name, heard[role])
			}
		}
	}
	for _, role := range []string{"heading", "table", "image", "figure", "slider", "button", "link", "region", "navigation"} {
		if slices.Contains(heard[role], "") {
			t.Errorf("a %s has no name", role)
		}
	}
}

func TestBrowserRunsNothingPlanted(t *testing.T) {
	browser := browse(t)
	files, err := filepath.Glob(filepath.Join(*made, "planted-*.html"))
	if err != nil || len(files) < 9 {
		t.Fatalf("%d pages with something planted, %v; want 9", len(files), err)
	}
	for i := range files {
		name := fmt.Sprintf("planted-%d", i)
		o := open(t, browser, views()[i%4], page(t, name))
		if ask[bool](o, `"planted" in window`) {
			t.Errorf("%s ran", name)
		}
		if n := ask[int](o, `document.querySelectorAll("script:not([type]), img, iframe").length`); n != 2 {
			t.Errorf("%s: the page has %d scripts and images; want its own two scripts", name, n)
		}
		o.keep(name)
		o.quiet()
	}
}

func TestBrowserKeepsThePolicy(t *testing.T) {
	o := open(t, browse(t), views()[0], page(t, "bare"))
	ask[bool](o, `(() => {
		const script = document.createElement("script"); script.textContent = "window.intruder = 1"; document.body.append(script);
		const handler = document.createElement("p"); handler.setAttribute("onclick", "window.intruder = 1"); document.body.append(handler); handler.click();
		const image = new Image(); image.src = "http://127.0.0.1:9/x.png"; document.body.append(image);
		const dressed = document.createElement("p"); dressed.setAttribute("style", "color: red"); dressed.id = "dressed"; document.body.append(dressed);
		return true;
	})()`)
	if ask[bool](o, `"intruder" in window`) {
		t.Error("a script that the policy does not name ran")
	}
	if ask[bool](o, `getComputedStyle(document.querySelector("#dressed")).color === "rgb(255, 0, 0)"`) {
		t.Error("a style attribute had its way")
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.said) < 4 {
		t.Errorf("the console says %q; want a word on each of four intruders", o.said)
	}
}

// uPlot leaves out ticks of a low logarithmic axis by handing on null, which is no 0.
func TestBrowserNamesEveryTickOfALogarithmicAxis(t *testing.T) {
	o := open(t, browse(t), view{390, 844, false}, page(t, "decades"))
	ask[bool](o, `(() => { window.written = []; const fill = CanvasRenderingContext2D.prototype.fillText;
		CanvasRenderingContext2D.prototype.fillText = function (text, ...at) { window.written.push(text); return fill.call(this, text, ...at) };
		const live = document.querySelector(".live"); live.style.width = live.clientWidth - 20 + "px"; return true })()`)
	answer(o, chromedp.Poll[bool](`window.written.includes("1,000")`))
	written := ask[[]string](o, `window.written.slice(window.written.indexOf("1,000") - 6, window.written.indexOf("1,000") + 1)`)
	if got := strings.Join(written, " "); got != "0.001 0.01 0.1 1 10 100 1,000" {
		t.Errorf("the ticks are named %q; want each decade by its number", got)
	}
	o.quiet()
}

func TestBrowserPrintsAndDoesWithoutScripts(t *testing.T) {
	browser := browse(t)
	const seen = `[...document.querySelectorAll("figure.chart .picture svg, .part table")]` + boxes
	o := open(t, browser, views()[1], page(t, "stress"))
	paper := answer(o, chromedp.PrintToPDF())
	o.run(command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print",
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}))
	// Paper is light, whatever the screen was: the lines are drawn anew.
	answer(o, chromedp.Poll[bool](fmt.Sprintf(inkOn, "served")+" >= 20"))
	found := ask[[]box](o, seen)
	for _, s := range found {
		if s.Width < 250 || s.Height < 60 {
			t.Errorf("on paper %s is %+v; want it to be read", s.Name, s)
		}
	}
	if len(found) < 4 {
		t.Errorf("on paper are %d charts and tables; want those of all parts", len(found))
	}
	if shown := ask[bool](o, `document.querySelector(".contents").checkVisibility()`); shown {
		t.Error("on paper there are contents to click at")
	}
	if *screenshots != "" {
		o.write("stress.pdf", paper)
	}
	o.keep("print")
	o.quiet()

	o = open(t, browser, views()[0], page(t, "stress"), command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
	if live := ask[int](o, `document.querySelectorAll("canvas").length`); live != 0 {
		t.Fatal("a script ran although none may")
	}
	for _, s := range ask[[]box](o, `[...document.querySelectorAll(".hero .picture svg, .screen table, summary")]`+boxes) {
		if s.Width < 300 || s.Height < 20 {
			t.Errorf("without scripts %s is %+v; want it to be seen", s.Name, s)
		}
	}
	o.keep("without-scripts")
	o.quiet()
}
