//go:build linux && (ci || live)

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// measured runs the program, alone in a process of its own, and returns what it prints, the CPU that
// it takes, and its memory at most: what a system tells of a child may be that of its parent.
func measured(t *testing.T, stdin io.Reader, args ...string) (stdout []byte, cpu time.Duration, memory int64) {
	t.Helper()
	c := program(t, []string{tellsMemory + "=1"}, args...)
	var out, said bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = stdin, &out, &said
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	most := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindStringSubmatch(said.String())
	require.Truef(t, most != nil, "the system does not tell what a process has used:\n%s", &said)
	kilobytes, err := strconv.ParseInt(most[1], 10, 64)
	require.NoError(t, err)
	return out.Bytes(), c.ProcessState.UserTime() + c.ProcessState.SystemTime(), kilobytes << 10
}

// Time in which nothing happens costs nothing, and a record of days takes the memory of one of hours. The CPU is what is
// aimed at on a quiet machine: twice as much fails, for others are slower.
func TestLongRecordsCostLittle(t *testing.T) {
	const month = 30 * 24 * time.Hour
	analytics, err := os.ReadFile("../../engine/accesslog/testdata/analytics.log")
	require.NoError(t, err)
	line, _, _ := strings.Cut(string(analytics), "\n")
	logOf := func(every time.Duration) string {
		var text strings.Builder
		for at := time.Duration(0); at <= month; at += every {
			when := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(at).Format("2006-01-02T15:04:05.0000000Z")
			one := strings.Replace(line, "2011-08-09T21:44:36.2481552Z", when, 1)
			text.WriteString(strings.Replace(one, "d1f4ab83", fmt.Sprintf("%08x", at/every), 1) + "\n")
		}
		return text.String()
	}
	const day = `name: day
attributes: {id: {sequence: 1}}
entity: {size: 300, filler: Notes}
design: {partition_key: "p", row_key: "{id}"}
phases: [{name: rush, traffic: {arrivals: {constant: 1}, for: 24h, operations: [{verb: insert}]}}]
`
	for _, row := range []struct {
		name, file, text string
		args             []string
		cpu              time.Duration
		megabytes        int64
	}{
		{"two lines of a log, a month apart", "two.log", logOf(month), []string{"logs"}, time.Second, 80},
		{"a line a minute for a month", "month.log", logOf(time.Minute), []string{"logs"}, 10 * time.Second, 200},
		{"a line an hour for a month, replayed", "hours.log", logOf(time.Hour), []string{"logs", "replay", "--speed", "2"}, 2 * time.Second, 150},
		{"an operation a second for a day", "day.yaml", day, []string{"simulate", "--no-charts"}, 20 * time.Second, 300},
	} {
		file := filepath.Join(t.TempDir(), row.file)
		require.NoError(t, os.WriteFile(file, []byte(row.text), 0o600))
		_, cpu, memory := measured(t, nil, append(row.args, file)...)
		t.Logf("%s: %.2f s of CPU, %d MB", row.name, cpu.Seconds(), memory>>20)
		assert.LessOrEqual(t, cpu, 2*row.cpu, row.name)
		assert.LessOrEqual(t, memory>>20, row.megabytes, row.name)
	}
}
