package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
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
		{name: "clock", examine: func(context.Context) Finding {
			return clockFinding(smallestStep(o.Clock), o.Clock.Started(), builtYear())
		}},
		{name: "memory", examine: func(context.Context) Finding {
			return memoryFinding(availableMemory(readText(tableFile), readText(limitFile), readText(usedFile)))
		}},
		{name: "files", examine: func(context.Context) Finding {
			files, known := run.OpenFiles()
			return filesFinding(files, known, o.Workers)
		}},
		{name: "ports", examine: func(context.Context) Finding {
			return portsFinding(countPorts(readText(portsFile)), o.Workers, openPort())
		}},
		{name: "folder", examine: func(context.Context) Finding {
			return judgeResult(checkWritable(o.Folder), "a writable folder", o.Folder+" can be written to", "choose another --out folder")
		}},
	}
}

// maxStep is the maximum step of the clock.
const maxStep = 100 * time.Microsecond

// maxReadings is the maximum number of readings of a clock that does not advance.
const maxReadings = 1_000_000

// smallestStep returns the minimum difference of two readings, 0 if the clock does not advance.
func smallestStep(clk clock.Clock) (smallest time.Duration) {
	const minSteps = 100
	last := clk.Now()
	for readings, steps := 0, 0; readings < maxReadings && steps < minSteps; readings++ {
		now := clk.Now()
		if step := now.Sub(last); step != 0 {
			smallest, steps = min(cmp.Or(smallest, step), step), steps+1
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
	return judge(fmt.Sprintf("at most %s, not before %d", document.Span(maxStep), year),
		rule{step == 0, Fail, "it stands still", "the monotonic clock stands still"},
		rule{step > maxStep, Fail, measured, "shorter service times are not measurable; use the hardware clock"},
		rule{wall.UTC().Year() < year, Fail, measured, "set the date: services reject dates off by 15 minutes"},
		rule{true, Pass, measured, ""})
}

func filesFinding(files uint64, known bool, workers int) Finding {
	// Each worker has a connection with two ends; record and program need a few more files.
	const own = 64
	needs := uint64(2*workers + own)
	measured := document.Count(int64(files)) + " files may be open"
	return judge(fmt.Sprintf("at least %s: %s workers, two each, and %d", document.Count(int64(needs)), document.Count(int64(workers)), own),
		rule{!known, CannotTell, "the limit of open files is unknown", ""},
		rule{files > 1<<40, Pass, "no limit of open files", ""},
		rule{files < needs, Fail, measured, fmt.Sprintf("run `ulimit -n %d` or use fewer --workers", needs)},
		rule{true, Pass, measured, ""})
}

// portsFinding judges the number of ports, 0 if it is unknown, and the error of opening one.
func portsFinding(ports int64, workers int, opening error) Finding {
	measured := document.Count(ports) + " ports, one opens"
	return judge(fmt.Sprintf("at least %s, one opens", document.Count(int64(2*workers))),
		rule{opening != nil, Fail, "none opens: " + results.OneLine(opening), "the embedded engine needs a port; --target in-process does not"},
		rule{ports == 0, CannotTell, "one opens, their number is unknown", ""},
		rule{ports < int64(2*workers), Fail, measured, "widen net.ipv4.ip_local_port_range or use fewer --workers"},
		rule{true, Pass, measured, ""})
}

// minMemory is enough for the stress test.
const minMemory = 512 << 20

func memoryFinding(available int64, known bool) Finding {
	measured := document.Bytes(available) + " available"
	return judge("at least "+document.Bytes(minMemory),
		rule{!known, CannotTell, "free memory is unknown", ""},
		rule{available < minMemory, Fail, measured, "stop programs or raise the container's limit: low memory measures garbage collection"},
		rule{true, Pass, measured, ""})
}

// checkWritable checks that a folder, or its nearest existing parent, is writable.
func checkWritable(folder string) error {
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

// Linux's files, and the patterns of their numbers, which fit an int64. Other systems have none.
const (
	portsFile = "/proc/sys/net/ipv4/ip_local_port_range"
	tableFile = "/proc/meminfo"
	limitFile = "/sys/fs/cgroup/memory.max"
	usedFile  = "/sys/fs/cgroup/memory.current"

	portsPattern  = `^(\d{1,5})\s+(\d{1,5})\s*$`
	tablePattern  = `(?m)^MemAvailable:\s*(\d{1,15}) kB$`
	numberPattern = `^(\d{1,18})\s*$`
)

// numbers returns the numbers of a pattern's groups, and whether the text matches.
func numbers(pattern, text string) (list [2]int64, matches bool) {
	groups := regexp.MustCompile(pattern).FindStringSubmatch(text)
	for i, digits := range groups[min(1, len(groups)):] {
		list[i], _ = strconv.ParseInt(digits, 10, 64) // the pattern limits the digits
	}
	return list, groups != nil
}

// countPorts returns the number of ports in Linux's range of local ports, 0 if it is unknown.
func countPorts(text string) int64 {
	ports, known := numbers(portsPattern, text)
	if low, high := ports[0], ports[1]; known && 0 < low && low <= high && high < 1<<16 {
		return high - low + 1
	}
	return 0
}

// availableMemory returns the bytes that this process can still use, if known: Linux's meminfo
// states the machine's, and a control group may have a limit.
func availableMemory(table, limit, used string) (int64, bool) {
	kibibytes, known := numbers(tablePattern, table)
	most, limited := numbers(numberPattern, limit)
	use, counted := numbers(numberPattern, used)
	available, room := kibibytes[0]<<10, max(0, most[0]-use[0])
	switch {
	case !limited || !counted:
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
