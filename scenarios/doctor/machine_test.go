package doctor

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
)

// stepping is a clock that moves by so much at every so many readings.
type stepping struct {
	clock.Clock
	step         time.Duration
	every, asked int
}

func (s *stepping) Now() clock.Instant {
	s.asked++
	if s.every == 0 {
		return 0
	}
	return clock.Instant(s.asked/s.every) * clock.Instant(s.step)
}

func TestSmallestStep(t *testing.T) {
	for _, row := range []struct {
		sentence string
		clock    *stepping
		want     time.Duration
	}{
		{"a clock that moves at every reading", &stepping{step: 40, every: 1}, 40},
		{"a clock that moves at every thousandth", &stepping{step: time.Millisecond, every: 1000}, time.Millisecond},
		{"a clock that stands still", &stepping{}, 0},
	} {
		assert.Equal(t, row.want, smallestStep(row.clock), row.sentence)
		assert.LessOrEqual(t, row.clock.asked, mostReadings+1, row.sentence)
	}
}

func TestMachineFindings(t *testing.T) {
	day := func(year int) time.Time { return time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC) }
	wantFindings(t, []judgement{
		{"a fine clock of today", clockFinding(50, day(2026), 2026), Pass, "50 ns"},
		{"a coarser clock", clockFinding(coarsestStep+1, day(2026), 2026), Fail, "hardware clock"},
		{"a clock that stands still", clockFinding(0, day(2026), 2026), Fail, ""},
		{"the date of a machine whose battery is empty", clockFinding(50, day(1970), 2026), Fail, ""},

		{"files for twice the workers and the rest", filesFinding(576, true, 256), Pass, "576"},
		{"a file too few", filesFinding(575, true, 256), Fail, "ulimit -n 576"},
		{"files without a bound", filesFinding(math.MaxUint64, true, 100_000), Pass, ""},
		{"nobody says how many files", filesFinding(0, false, 256), CannotTell, ""},

		{"ports for twice the workers", portsFinding(1001, 1512, true, 256, nil), Pass, "512"},
		{"a port too few", portsFinding(1001, 1511, true, 256, nil), Fail, "ip_local_port_range"},
		{"a port that does not open", portsFinding(1001, 60_000, true, 256, errors.New("not\npermitted")), Fail, ""},
		{"nobody says how many ports", portsFinding(0, 0, false, 256, nil), CannotTell, ""},

		{"memory enough", memoryFinding(512<<20, true), Pass, "512 MiB"},
		{"memory too little", memoryFinding(512<<20-1, true), Fail, ""},
		{"nobody says how much memory", memoryFinding(0, false), CannotTell, ""},

		{"a folder that can be written to", folderFinding("results/runs", nil), Pass, ""},
		{"a folder that cannot", folderFinding("results/runs", errors.New("read-only")), Fail, "--out"},
	})
}

func TestWritable(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("file", nil, 0o600))
	require.NoError(t, os.Mkdir("folder", 0o755))
	for _, row := range []struct {
		sentence string
		folder   string
		holds    bool
	}{
		{"a folder that is there", "folder", true},
		{"the folder that one is in", ".", true},
		{"a folder to be made, in one to be made", filepath.Join("results", "runs"), true},
		{"a folder to be made, by its whole path", filepath.Join(t.TempDir(), "runs"), true},
		{"a file", "file", false},
		{"a folder below a file", filepath.Join("file", "runs"), false},
	} {
		assert.Equalf(t, row.holds, writable(row.folder) == nil, "%s: writable(%q)", row.sentence, row.folder)
	}
	mustHold(t, 2)
}

func TestSystemFiles(t *testing.T) {
	ports := func(text string) string { return fmt.Sprint(parsePorts(text)) }
	memory := func(text string) string { return fmt.Sprint(parseMemory(text)) }
	room := func(text string) string {
		limit, use, _ := strings.Cut(text, "|")
		return fmt.Sprint(parseRoom(limit, use))
	}
	for _, row := range []struct {
		parse      func(string) string
		text, want string
	}{
		{ports, "32768\t60999\n", "32768 60999 true"},
		{ports, "", "0 0 false"},
		{ports, "32768", "0 0 false"},
		{ports, "1 2 3", "0 0 false"},
		{ports, "0 100", "0 0 false"},
		{ports, "60999 32768", "0 0 false"},
		{ports, "-1 100", "0 0 false"},
		{ports, "1 65536", "0 0 false"},

		{memory, "MemTotal:       10 kB\nMemAvailable:    8 kB\nBuffers: 1 kB\n", "8192 true"},
		{memory, "MemTotal: 10 kB\n", "0 false"},
		{memory, "MemAvailable: 8\n", "0 false"},
		{memory, "MemAvailable: 8 MB\n", "0 false"},
		{memory, "MemAvailable: -8 kB\n", "0 false"},
		{memory, "MemAvailable: 9223372036854775807 kB\n", "0 false"},
		{memory, "MemAvailable: much kB\n", "0 false"},

		{room, "1000\n|300\n", "700 true"},
		{room, "1000|1001", "0 true"},
		{room, "max\n|300\n", "0 false"},
		{room, "|300", "0 false"},
		{room, "1000|", "0 false"},
		{room, "-1|0", "0 false"},
		{room, "1000|-300", "0 false"},
		{room, "9223372036854775808|0", "0 false"},
	} {
		assert.Equalf(t, row.want, row.parse(row.text), "%q is read as", row.text)
	}
}

// What a system says of itself is read without a panic, and what is read is
// possible.
func FuzzSystemFiles(f *testing.F) {
	for _, text := range []string{"32768\t60999\n", "MemAvailable: 8 kB\n", "max", "1000", "", "MemAvailable:", "1 65536"} {
		f.Add(text, "300")
	}
	f.Fuzz(func(t *testing.T, text, other string) {
		low, high, ok := parsePorts(text)
		assert.Truef(t, !ok || 0 < low && low <= high && high < 1<<16, "parsePorts(%q) = %d, %d", text, low, high)
		bytes, ok := parseMemory(text)
		assert.Truef(t, bytes >= 0 && (ok || bytes == 0), "parseMemory(%q) = %d, %v; want 0 or more", text, bytes, ok)
		bytes, ok = parseRoom(text, other)
		assert.Truef(t, bytes >= 0 && (ok || bytes == 0), "parseRoom(%q, %q) = %d, %v", text, other, bytes, ok)
	})
}

// On this machine the checks that take no time come to a verdict.
func TestMachineChecks(t *testing.T) {
	t.Chdir(t.TempDir())
	o := &Options{Workers: 1, Folder: filepath.Join("results", "runs"), Clock: clock.NewReal()}
	for _, one := range o.machine() {
		found := one.examine(t.Context())
		assert.Truef(t, found.Verdict == Pass || found.Verdict == CannotTell, "%s = %+v", one.name, found)
	}
	mustHold(t, 0)
}

// mustHold fails where the present folder holds more or less than so many files.
func mustHold(t *testing.T, want int) {
	t.Helper()
	left, err := os.ReadDir(".")
	assert.Truef(t, err == nil && len(left) == want, "the folder holds %v, %v; want nothing new", left, err)
}
