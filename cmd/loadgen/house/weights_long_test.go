//go:build long

package house_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var rewrite = flag.Bool("rewrite", false, "write the table of docs/figures.md anew; read the difference before committing it")

// part is something that the command could do without, and by which packages it comes in:
// those that begin with one of these, from whatever imports them.
type part struct {
	name string
	by   []string
	// stub is the package without what it does, as text, where the program is also built
	// with that in its place.
	stub string
}

// parts are the rows of the table; one that is not in has the row that says so.
var parts = []part{
	{"durable store (`serve --data-dir`)", []string{"loadgen/engine/store/durable"}, noStore},
	{"charts, PNG and SVG", []string{"gonum.org/v1/plot"}, ""},
	{"queues and blobs of a real account", []string{"github.com/Azure/azure-sdk-for-go/sdk/storage/"}, ""},
	{"metrics for Prometheus", []string{"github.com/prometheus/client_golang"}, ""},
	{"vegeta's attacker and results", []string{"github.com/tsenart/vegeta/v12"}, ""},
	{"pages for man", []string{"github.com/spf13/cobra/doc"}, ""},
	{"text on a terminal", []string{"charm.land/lipgloss/v2"}, ""},
	{"scenarios in YAML", []string{"github.com/goccy/go-yaml"}, ""},
	{"Microsoft Entra ID", []string{"github.com/Azure/azure-sdk-for-go/sdk/azidentity"}, ""},
	{"OpenTelemetry (OTLP)", []string{"go.opentelemetry.io/"}, ""},
	{"load from several machines (fleet)", []string{"loadgen/scenarios/fleet"}, ""},
}

// noStore is engine/store/durable as a package that opens no folder.
const noStore = `// Package durable keeps nothing.
package durable

import (
	"errors"

	"loadgen/engine/entity"
	"loadgen/engine/store"
)

type FS any

type Options struct {
	Folder, Account string
	Sync            bool
	FS              FS
}

type Store struct{ *store.Store }

func Open(Options) (*Store, error)                   { return nil, errors.ErrUnsupported }
func (*Store) Failed() <-chan struct{}               { return nil }
func (*Store) Err() error                            { return nil }
func (*Store) Note(string) []byte                    { return nil }
func (*Store) SetNote(string, []byte) entity.Code    { return "" }
func (*Store) Deleted() map[string]entity.Ticks      { return nil }
func (*Store) Close() error                          { return nil }
`

const (
	weightsBegin = "<!-- What the program weighs: go test -tags long -run Weights ./cmd/loadgen/house -rewrite -->\n"
	weightsEnd   = "<!-- end of the weights -->\n"
)

// What each part adds to the program is within a fifth, or a quarter of a megabyte, of what
// docs/figures.md has.
//
// Of a part with a stub it is the difference of two builds, of others the symbols of all
// packages that nothing else brings in, with their share of what the linker writes for each
// function. What is used of other packages for a part alone is not in that: it is a lower bound.
func TestWeights(t *testing.T) {
	program := filepath.Join(t.TempDir(), "loadgen")
	built(t, program)
	stripped := program + "-stripped"
	built(t, stripped, "-ldflags", "-s -w")
	whole, of := size(t, stripped), symbolsOf(t, program)
	graph := importsOf(t)
	table := fmt.Sprintf("| the whole program, stripped, linux/amd64 | %s | |\n", megabytes(whole))
	var sum float64
	for _, weight := range of {
		sum += weight
	}
	for _, p := range parts {
		alone := graph.alone(p.by)
		if len(alone) == 0 {
			table += fmt.Sprintf("| %s | not in | |\n", p.name)
			continue
		}
		var weight float64
		for _, pkg := range alone {
			weight += of[pkg]
		}
		weight *= whole / sum
		least := "≥ "
		if p.stub != "" {
			without := program + "-without"
			built(t, without, "-ldflags", "-s -w", "-overlay", overlay(t, p))
			weight, least = whole-size(t, without), ""
		}
		table += fmt.Sprintf("| %s | %s%s | %.0f %% |\n", p.name, least, megabytes(weight), 100*weight/whole)
	}
	t.Log("\n" + table)
	file := filepath.Join("..", "..", "..", "docs", "figures.md")
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, begins := strings.Cut(string(page), weightsBegin)
	shown, after, ends := strings.Cut(rest, weightsEnd)
	require.Truef(t, begins && ends, "docs/figures.md has no lines %q and %q", weightsBegin, weightsEnd)
	const head = "\n| part | MB | of all |\n|---|---:|---:|\n"
	if *rewrite {
		require.NoError(t, os.WriteFile(file, []byte(before+weightsBegin+head+table+"\n"+weightsEnd+after), 0o644))
		return
	}
	assert.Equal(t, "", near(strings.TrimSpace(strings.TrimPrefix(shown, head)), strings.TrimSpace(table)),
		"docs/figures.md; run go test -tags long -run Weights ./cmd/loadgen/house -rewrite")
}

func megabytes(size float64) string { return fmt.Sprintf("%.1f", size/1e6) }

var weightRow = regexp.MustCompile(`(?m)^\| (.+?) \| (?:≥ )?([0-9.]+|not in) \|`)

// near says where two tables differ by more than a fifth and a quarter of a megabyte.
func near(shown, want string) string {
	has, wants := weightRow.FindAllStringSubmatch(shown, -1), weightRow.FindAllStringSubmatch(want, -1)
	if len(has) != len(wants) {
		return fmt.Sprintf("the table has %d rows; want %d", len(has), len(wants))
	}
	for i := range wants {
		a, errA := strconv.ParseFloat(has[i][2], 64)
		b, errB := strconv.ParseFloat(wants[i][2], 64)
		if has[i][1] != wants[i][1] || (errA == nil) != (errB == nil) || math.Abs(a-b) > max(.25, .2*b) {
			return fmt.Sprintf("the table has %q; want %q", has[i][0], wants[i][0])
		}
	}
	return ""
}

// overlay returns the file that puts a part's stub in the place of its package.
func overlay(t *testing.T, p part) string {
	t.Helper()
	folder := t.TempDir()
	room, err := filepath.Abs(filepath.Join("..", "..", "..", strings.TrimPrefix(p.by[0], moduleName)))
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(room, "*.go"))
	require.Truef(t, err == nil && len(files) != 0, "%s has %d files, %v", room, len(files), err)
	replaced := map[string]string{}
	for _, file := range files {
		replaced[file] = ""
	}
	stub := filepath.Join(folder, "stub.go")
	replaced[filepath.Join(room, "doc.go")] = stub
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	require.NoError(t, err)
	list := filepath.Join(folder, "overlay.json")
	require.NoError(t, errors.Join(os.WriteFile(stub, []byte(p.stub), 0o600), os.WriteFile(list, text, 0o600)))
	return list
}

func built(t *testing.T, out string, flags ...string) {
	t.Helper()
	command := exec.Command("go", append(append([]string{"build", "-trimpath", "-o", out}, flags...), "loadgen/cmd/loadgen")...)
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	if said, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, said)
	}
}

func size(t *testing.T, file string) float64 {
	t.Helper()
	info, err := os.Stat(file)
	require.NoError(t, err)
	return float64(info.Size())
}

// said returns what a command prints, which builds for what is measured.
func said(t *testing.T, args ...string) []byte {
	t.Helper()
	command := exec.Command("go", args...)
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	command.Stderr = os.Stderr
	text, err := command.Output()
	require.NoErrorf(t, err, "%v", command)
	return text
}

// symbolsOf adds up the symbols of a program that are in its file, by package.
func symbolsOf(t *testing.T, program string) map[string]float64 {
	of := map[string]float64{}
	for line := range strings.Lines(string(said(t, "tool", "nm", "-size", program))) {
		fields := strings.Fields(line) // address, size, kind, name
		if len(fields) < 4 || strings.ContainsAny(fields[2], "bBU") {
			continue
		}
		weight, err := strconv.ParseFloat(fields[1], 64)
		if err != nil || strings.HasPrefix(fields[3], "runtime.") && weight > 1e6 { // tables of all functions
			continue
		}
		of[packageOf(fields[3])] += weight
	}
	return of
}

// packageOf returns the package of a symbol, as example.org/a/b.(*T).Method has a/b.
func packageOf(symbol string) string {
	symbol = strings.TrimPrefix(symbol, "type:.eq.")
	if end := strings.IndexAny(symbol, "([{"); end >= 0 {
		symbol = symbol[:end]
	}
	slash := strings.LastIndex(symbol, "/") + 1
	path, _, _ := strings.Cut(symbol[slash:], ".")
	return strings.ReplaceAll(symbol[:slash]+path, "%2e", ".")
}

// graph is which package imports which.
type graph map[string][]string

func importsOf(t *testing.T) graph {
	g := graph{}
	decoder := json.NewDecoder(bytes.NewReader(said(t, "list", "-deps", "-json=ImportPath,Imports", "loadgen/cmd/loadgen")))
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&p); err == io.EOF {
			return g
		} else if err != nil {
			t.Fatal(err)
		}
		g[p.ImportPath] = p.Imports
	}
}

// alone returns the packages that nothing but those that begin so brings in.
func (g graph) alone(by []string) (list []string) {
	without := map[string]bool{}
	g.reach("loadgen/cmd/loadgen", by, without)
	for pkg := range g {
		if !without[pkg] {
			list = append(list, pkg)
		}
	}
	return list
}

func (g graph) reach(pkg string, but []string, seen map[string]bool) {
	if seen[pkg] {
		return
	}
	for _, one := range but {
		if strings.HasPrefix(pkg, one) {
			return
		}
	}
	seen[pkg] = true
	for _, imported := range g[pkg] {
		g.reach(imported, but, seen)
	}
}
