package process

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// cpuOf calls ps, which prints hundredths of a second: only C programs can read another
// process's usage.
func cpuOf(pid int) (time.Duration, error) {
	text, err := psColumn(pid, "time=")
	if err != nil {
		return 0, err
	}
	return parseTime(text)
}

func memoryOf(pid int) (int64, error) {
	text, err := psColumn(pid, "rss=")
	if err != nil {
		return 0, err
	}
	kibibytes, err := strconv.ParseInt(text, 10, 64)
	return kibibytes << 10, err
}

func psColumn(pid int, column string) (string, error) {
	text, err := exec.Command("ps", "-o", column, "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return "", fmt.Errorf("ps of process %d: %w", pid, err)
	}
	return strings.TrimSpace(string(text)), nil
}

// Busy is unknown here.
func Busy() (time.Duration, bool) { return 0, false }
