package doctor

import (
	"errors"
	"net"
	"os"
	"strings"
)

// Where Linux says what a process may use. Other systems have no such files.
const (
	portsFile = "/proc/sys/net/ipv4/ip_local_port_range"
	tableFile = "/proc/meminfo"
	limitFile = "/sys/fs/cgroup/memory.max"
	usedFile  = "/sys/fs/cgroup/memory.current"
)

// readPorts returns the first and the last port that the system gives to
// connections, if it says so.
func readPorts() (low, high int, known bool) {
	text, err := os.ReadFile(portsFile)
	if err != nil {
		return 0, 0, false
	}
	return parsePorts(string(text))
}

// readMemory returns the bytes that this process can still have, if the system
// says so: what the machine has, or what a container leaves of it.
func readMemory() (int64, bool) {
	table, err := os.ReadFile(tableFile)
	if err != nil {
		return 0, false
	}
	available, known := parseMemory(string(table))
	limit, err1 := os.ReadFile(limitFile)
	used, err2 := os.ReadFile(usedFile)
	if room, limited := parseRoom(string(limit), string(used)); limited && err1 == nil && err2 == nil {
		if !known {
			return room, true
		}
		available = min(available, room)
	}
	return available, known
}

// proxyVariable returns the variable of the environment that names a proxy for https, or for
// http, and whether it is set.
func proxyVariable(secure bool) (name string, set bool) {
	name = "HTTP_PROXY"
	if secure {
		name = "HTTPS_PROXY"
	}
	for _, one := range []string{name, strings.ToLower(name)} {
		if os.Getenv(one) != "" {
			return one, true
		}
	}
	return name, false
}

// openPort proves that a free port of this machine can be opened and connected
// to.
func openPort() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	return errors.Join(conn.Close(), listener.Close())
}
