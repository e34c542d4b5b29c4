package chromium

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// running is a run with a live page.
type running struct {
	*exec.Cmd
	url    string
	stdout io.Reader
	// ended has how it ended, once.
	ended chan error
	said  strings.Builder
}

var liveAt = regexp.MustCompile(`live page: (http://127\.0\.0\.1:\d+/[0-9a-f]{32}/)`)

// start starts the command, waits until it tells a URL, and ends it with the test.
func start(t *testing.T, arguments ...string) *running {
	t.Helper()
	if *loadgen == "" {
		t.Fatal("-loadgen names no command; .ci/browser does")
	}
	r := &running{Cmd: exec.CommandContext(t.Context(), *loadgen, arguments...), ended: make(chan error, 1)}
	stderr, err := r.StderrPipe()
	if err == nil {
		r.stdout, err = r.StdoutPipe()
	}
	if err == nil {
		err = r.Start()
	}
	must(t, err)
	lines := bufio.NewScanner(stderr)
	for r.url == "" && lines.Scan() {
		r.said.WriteString(lines.Text() + "\n")
		if match := liveAt.FindStringSubmatch(lines.Text()); match != nil {
			r.url = match[1]
		}
	}
	if r.url == "" {
		t.Fatalf("no URL is told: %s %v", &r.said, r.Wait())
	}
	go func() {
		for lines.Scan() {
			r.said.WriteString(lines.Text() + "\n")
		}
		_, _ = io.Copy(io.Discard, r.stdout)
		r.ended <- r.Wait()
	}()
	return r
}

// notes has a page write down what it shows after each update.
const notes = `(() => { window.seen = []; document.addEventListener("figures", () => {
	const text = (selector) => document.querySelector(selector)?.textContent ?? "";
	window.seen.push({Phase: text("#subtitle"), Number: text("#state .number"), Hottest: text("#heat tbody th"),
		Heat: document.querySelectorAll("#heat tbody tr:first-child .strip path").length, Drawn: document.querySelector("#rates canvas")?.toDataURL().length ?? 0});
}); return true })()`

// seen is what a page showed after one update.
type seen struct {
	Phase, Number, Hottest string
	Heat, Drawn            int
}

// A run is looked at while it goes on: figures move, the heat of a key that becomes hot is
// seen within three updates, a page that is loaded again and a second one go on, and the
// button ends the run, whose report takes the place of the page.
func TestBrowserLivePage(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	r := start(t, "run", "hotkey.yaml", "--live-page", "--no-probe", "--out", folder)
	strangers(t, r.url)
	browser := browse(t)
	o := visit(t, browser, view{1280, 900, false}, r.url)
	ask[bool](o, notes)
	answer(o, chromedp.Poll[bool](`window.seen.length >= 3 && document.querySelector("#live")?.dataset.state === "live"`))
	o.keep("live-even")
	answer(o, chromedp.Poll[bool](`window.seen.filter((one) => one.Phase.includes("hot")).length >= 5`, chromedp.WithPollingTimeout(0)))
	moved(t, ask[[]seen](o, `window.seen`))
	o.keep("live-hot")

	second := visit(t, browser, view{390, 844, true}, r.url)
	ask[bool](second, notes)
	o.run(chromedp.Reload())
	ask[bool](o, notes)
	for _, one := range []*tab{o, second} {
		answer(one, chromedp.Poll[bool](`window.seen.length >= 2 && window.seen.at(-1).Drawn > 0`, chromedp.WithPollingTimeout(0)))
	}
	answer(o, chromedp.Poll[bool](`[...document.querySelectorAll("#health tbody tr")].some((row) => row.textContent.startsWith("open pages2"))`, chromedp.WithPollingTimeout(0)))
	second.keep("live-narrow-dark")

	o.run(chromedp.Click(chromedp.CSS("#stop")))
	o.keep("live-stop")
	o.run(chromedp.Click(chromedp.CSS("#stop-no")))
	before := ask[int](o, `window.seen.length`)
	answer(o, chromedp.Poll[bool](fmt.Sprintf(`window.seen.length >= %d`, before+2), chromedp.WithPollingTimeout(0)))
	o.run(chromedp.Click(chromedp.CSS("#stop")), chromedp.Click(chromedp.CSS("#stop-yes")))
	for _, one := range []*tab{o, second} {
		answer(one, chromedp.Poll[bool](`!document.querySelector("#live") && document.querySelector("footer") !== null`, chromedp.WithPollingTimeout(0)))
	}
	err := <-r.ended
	if code := r.ProcessState.ExitCode(); code != 130 {
		t.Errorf("the run ended with %d, %v; want 130, as by Ctrl-C: %s", code, err, &r.said)
	}
	for _, one := range []*tab{o, second} {
		one.unfold()
		if drawn := ask[int](one, `document.querySelectorAll("figure.series canvas").length`); drawn < 3 {
			t.Errorf("the report has %d series drawn; want those of its seconds", drawn)
		}
		one.within(r.url)
	}
	o.keep("live-report")
}

// strangers holds that nobody is answered who does not have the whole URL.
func strangers(t *testing.T, at string) {
	t.Helper()
	address := at[:strings.LastIndex(strings.TrimSuffix(at, "/"), "/")]
	for _, path := range []string{"/", "/events", "/stop", "/" + strings.Repeat("0", 32) + "/", "/" + strings.Repeat("0", 32) + "/events"} {
		reply, err := http.Get(address + path)
		must(t, err)
		reply.Body.Close()
		if reply.StatusCode != http.StatusForbidden {
			t.Errorf("%s answers %d; want 403", path, reply.StatusCode)
		}
	}
}

// moved holds that a page changed from one update to the next, and that it showed a hot key
// within three updates of its phase.
func moved(t *testing.T, list []seen) {
	t.Helper()
	numbers := make(map[string]bool)
	for _, one := range list {
		numbers[one.Number] = true
	}
	if len(numbers) < 3 || list[0].Drawn == list[len(list)-1].Drawn {
		t.Errorf("the page showed %v; want figures that move", list)
	}
	began := slices.IndexFunc(list, func(one seen) bool { return strings.Contains(one.Phase, "hot") })
	shown := slices.IndexFunc(list, func(one seen) bool {
		return one.Hottest == "Tokyo" && one.Heat > 0 && strings.Contains(one.Phase, "hot")
	})
	if began < 0 || shown < 0 || shown-began > 3 {
		t.Errorf("the phase begins at update %d and its key is the hottest at %d: %v; want it within three", began, shown, list)
	}
}

// within holds that a page asked nobody but one address, and said nothing.
func (o *tab) within(address string) {
	o.t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, text := range o.said {
		o.t.Errorf("the console says %q", text)
	}
	for _, asked := range o.requests {
		if !strings.HasPrefix(asked, address) && !strings.HasPrefix(asked, "data:") {
			o.t.Errorf("the page asks for %s", asked)
		}
	}
	if len(o.requests) < 2 {
		o.t.Errorf("the page asked for %q; want itself and its stream, or nothing was heard", o.requests)
	}
}

// An application in JavaScript is looked at while it uses the service: its hot key leads the
// heat map, and the query that costs it most is named. The button ends the service, whose
// report takes the place of the page.
func TestBrowserLiveExamination(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	r := start(t, "serve", "--examine", "--live-page", "--tokens", "any", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--out", filepath.Join(t.TempDir(), "run"))
	client := exec.CommandContext(t.Context(), node, "traffic.mjs", endpoint(t, r), "60")
	must(t, client.Start())
	defer client.Wait()
	defer client.Process.Kill()
	o := visit(t, browse(t), view{1280, 900, false}, r.url)
	ask[bool](o, notes)
	answer(o, chromedp.Poll[bool](`document.querySelector("#heat tbody th")?.textContent.startsWith("hot ") && document.querySelectorAll("#heat tbody tr").length > 12`, chromedp.WithPollingTimeout(0)))
	answer(o, chromedp.Poll[bool](`document.querySelector("#shapes tbody")?.textContent.includes("PartitionKey ge ?") && document.querySelector("#state")?.textContent.includes("PartitionKey ge ?")`, chromedp.WithPollingTimeout(0)))
	o.keep("live-examination")
	o.run(chromedp.Click(chromedp.CSS("#stop")), chromedp.Click(chromedp.CSS("#stop-yes")))
	answer(o, chromedp.Poll[bool](`!document.querySelector("#live") && document.querySelector("footer") !== null`, chromedp.WithPollingTimeout(0)))
	if err := <-r.ended; err != nil {
		t.Errorf("the service ended with %v; want 0, as by Ctrl-C: %s", err, &r.said)
	}
	o.within(r.url)
	o.keep("live-examination-report")
}

// endpoint returns the address of the tables, from the first line of a service.
func endpoint(t *testing.T, r *running) string {
	t.Helper()
	line, err := bufio.NewReader(r.stdout).ReadString('\n')
	_, address, found := strings.Cut(line, "TableEndpoint=")
	if err != nil || !found {
		t.Fatalf("the service says %q, %v; want its connection string", line, err)
	}
	return strings.TrimSuffix(strings.TrimSpace(address), ";")
}
