package doctor

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios/run"
)

// sourceYear is the minimum year of a correct clock if the build has no commit time.
const sourceYear = 2026

// machine returns the checks of this machine, which take no time.
func (o *Options) machine() []check {
	return []check{
		{name: "clock", examine: withoutContext(func() Finding { return clockFinding(smallestStep(o.Clock), o.Clock.Started(), builtYear()) })},
		{name: "memory", examine: withoutContext(func() Finding { return memoryFinding(readMemory()) })},
		{name: "files", examine: withoutContext(func() Finding {
			files, known := run.OpenFiles()
			return filesFinding(files, known, o.Workers)
		})},
		{name: "ports", examine: withoutContext(func() Finding {
			low, high, known := parsePorts(readText(portsFile))
			return portsFinding(low, high, known, o.Workers, openPort())
		})},
		{name: "folder", examine: withoutContext(func() Finding { return folderFinding(o.Folder, writable(o.Folder)) })},
	}
}

// coarsestStep is the maximum step of the clock.
const coarsestStep = 100 * time.Microsecond

// maxReadings is the maximum number of readings of a clock that stands still.
const maxReadings = 1_000_000

// smallestStep returns the minimum difference of two readings, 0 if the clock stands still.
func smallestStep(clk clock.Clock) time.Duration {
	const enough = 100
	smallest, steps, last := time.Duration(0), 0, clk.Now()
	for range maxReadings {
		now := clk.Now()
		if step := now.Sub(last); step != 0 {
			if smallest == 0 || step < smallest {
				smallest = step
			}
			if steps++; steps == enough {
				break
			}
		}
		last = now
	}
	return smallest
}

// builtYear returns the year of this build's sources.
func builtYear() int {
	committed, err := time.Parse(time.RFC3339, run.BuildSetting("vcs.time"))
	if err != nil {
		return sourceYear
	}
	return committed.UTC().Year()
}

func clockFinding(step time.Duration, wall time.Time, year int) Finding {
	measured := fmt.Sprintf("steps of %s, %s", document.Span(step), wall.UTC().Format("2006-01-02 15:04:05 UTC"))
	bound := fmt.Sprintf("at most %s, not before %d", document.Span(coarsestStep), year)
	if step == 0 {
		return findingFor(false, "it stands still", bound, "the monotonic clock stands still")
	}
	return judge(measured, bound, "",
		rule{step > coarsestStep, Fail, "shorter service times are not measurable; use the hardware clock"},
		rule{wall.UTC().Year() < year, Fail, "set the date: services reject dates off by 15 minutes"})
}

func filesFinding(files uint64, known bool, workers int) Finding {
	// Each worker has a connection with two ends; record and program need a few more files.
	const own = 64
	needs := uint64(2*workers + own)
	bound := fmt.Sprintf("at least %s: %s workers, two each, and %d", document.Count(int64(needs)), document.Count(int64(workers)), own)
	switch {
	case !known:
		return unknown("the limit of open files is unknown", bound)
	case files > 1<<40:
		return findingFor(true, "no limit of open files", bound, "")
	}
	return judge(document.Count(int64(files))+" files may be open", bound, "",
		rule{files < needs, Fail, fmt.Sprintf("run `ulimit -n %d` or use fewer --workers", needs)})
}

func portsFinding(low, high int, known bool, workers int, opening error) Finding {
	bound := fmt.Sprintf("at least %s, one opens", document.Count(int64(2*workers)))
	ports := high - low + 1
	switch {
	case opening != nil:
		return findingFor(false, "none opens: "+results.OneLine(opening), bound, "the embedded engine needs a port; --target in-process does not")
	case !known:
		return unknown("one opens, their number is unknown", bound)
	}
	return judge(document.Count(int64(ports))+" ports, one opens", bound, "",
		rule{ports < 2*workers, Fail, "widen net.ipv4.ip_local_port_range or use fewer --workers"})
}

// minMemory is enough for the stress test.
const minMemory = 512 << 20

func memoryFinding(available int64, known bool) Finding {
	bound := "at least " + document.Bytes(minMemory)
	if !known {
		return unknown("free memory is unknown", bound)
	}
	return judge(document.Bytes(available)+" available", bound, "",
		rule{available < minMemory, Fail, "stop programs or raise the container's limit: low memory measures garbage collection"})
}

func folderFinding(folder string, fault error) Finding {
	const bound = "a writable folder"
	if fault != nil {
		return findingFor(false, results.OneLine(fault), bound, "choose another --out folder")
	}
	return findingFor(true, folder+" can be written to", bound, "")
}

// writable checks that a folder, or its nearest existing parent, is writable.
func writable(folder string) error {
	folder = filepath.Clean(folder)
	for {
		_, err := os.Stat(folder)
		parent := filepath.Dir(folder)
		if !os.IsNotExist(err) || parent == folder {
			break
		}
		folder = parent
	}
	probe, err := os.CreateTemp(folder, ".probe-*")
	if err != nil {
		return err
	}
	_, err = probe.WriteString("loadgen")
	return errors.Join(err, probe.Close(), os.Remove(probe.Name()))
}

// parsePorts parses Linux's range of local ports.
func parsePorts(text string) (low, high int, ok bool) {
	fields := strings.Fields(text)
	if len(fields) != 2 {
		return 0, 0, false
	}
	first, err1 := strconv.ParseUint(fields[0], 10, 16)
	last, err2 := strconv.ParseUint(fields[1], 10, 16)
	if err1 != nil || err2 != nil || first == 0 || last < first {
		return 0, 0, false
	}
	return int(first), int(last), true
}

// parseMemory parses the available bytes of Linux's meminfo.
func parseMemory(table string) (int64, bool) {
	for line := range strings.Lines(table) {
		rest, found := strings.CutPrefix(line, "MemAvailable:")
		if !found {
			continue
		}
		kibibytes, unit, _ := strings.Cut(strings.TrimSpace(rest), " ")
		n, err := strconv.ParseInt(kibibytes, 10, 64)
		if err != nil || n < 0 || n > 1<<50 || unit != "kB" {
			return 0, false
		}
		return n << 10, true
	}
	return 0, false
}

// parseRoom returns the bytes left of a control group's limit, false for no limit.
func parseRoom(limit, use string) (int64, bool) {
	most, err1 := strconv.ParseInt(strings.TrimSpace(limit), 10, 64)
	used, err2 := strconv.ParseInt(strings.TrimSpace(use), 10, 64)
	if err1 != nil || err2 != nil || most < 0 || used < 0 {
		return 0, false
	}
	return max(0, most-used), true
}

// Linux's files. Other systems have none.
const (
	portsFile = "/proc/sys/net/ipv4/ip_local_port_range"
	tableFile = "/proc/meminfo"
	limitFile = "/sys/fs/cgroup/memory.max"
	usedFile  = "/sys/fs/cgroup/memory.current"
)

// readMemory returns the bytes that this process can still use, if known.
func readMemory() (int64, bool) {
	available, known := parseMemory(readText(tableFile))
	room, limited := parseRoom(readText(limitFile), readText(usedFile))
	switch {
	case !limited:
		return available, known
	case known:
		return min(available, room), true
	default:
		return room, true
	}
}

// readText returns a file of the system, empty if there is none.
func readText(name string) string {
	text, _ := os.ReadFile(name)
	return string(text)
}

// openPort opens a local port and connects to it.
func openPort() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err == nil {
		err = conn.Close()
	}
	return errors.Join(err, listener.Close())
}
