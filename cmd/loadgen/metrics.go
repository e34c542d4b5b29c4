package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"loadgen/results"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/pulse"
	"loadgen/scenarios/pulse/exposition"
)

// metrics is where a run is scraped while it goes on. A nil one is nowhere.
type metrics struct {
	listener net.Listener
	server   *http.Server
	done     sync.WaitGroup
}

// metricsPath is where metrics are served, as Prometheus expects.
const metricsPath = "/metrics"

// askWithin is how long a scraper may take to ask.
const askWithin = 5 * time.Second

// listen opens the address that --metrics-listen names, nothing where it names none. Its
// errors are faults of usage.
func listen(address string) (*metrics, error) {
	if address == "" {
		return nil, nil
	}
	full, err := metricsAddress(address)
	if err != nil {
		return nil, usageError{fmt.Errorf("--metrics-listen %q: %w", address, err)}
	}
	listener, err := net.Listen("tcp", full)
	if err != nil {
		var why *net.OpError
		if errors.As(err, &why) {
			err = why.Err
		}
		return nil, usageError{fmt.Errorf("--metrics-listen %q: %w; expected an address of this machine with a free port, such as 127.0.0.1:0", address, err)}
	}
	return &metrics{listener: listener}, nil
}

// metricsAddress returns what to listen on: what says no host is of this machine alone.
func metricsAddress(address string) (string, error) {
	expected := errors.New("expected a port, or a host and a port, such as :9464 or 127.0.0.1:0")
	if !strings.Contains(address, ":") {
		address = ":" + address
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", expected
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", expected
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}

// address returns the URL of the metrics, empty where there are none.
func (m *metrics) address() string {
	if m == nil {
		return ""
	}
	return "http://" + m.listener.Addr().String() + metricsPath
}

// serve begins to answer scrapes about a run with operations of these kinds, of which the
// ledger is to tell.
func (m *metrics) serve(ledger *drive.Ledger, kinds []results.Kind, p *pulse.Pulse, now func() time.Duration) {
	if m == nil {
		return
	}
	e := exposition.New(kinds, p, now)
	ledger.Observers = append(ledger.Observers, e)
	paths := http.NewServeMux()
	paths.Handle("GET "+metricsPath, e.Handler())
	m.server = &http.Server{Handler: paths, ReadHeaderTimeout: askWithin, ReadTimeout: askWithin, IdleTimeout: time.Minute}
	// It ends with the server, by which time there is nobody to tell of a fault.
	m.done.Go(func() { _ = m.server.Serve(m.listener) })
}

// close ends what listen and serve began, a scrape that is being answered, too.
func (m *metrics) close() {
	switch {
	case m == nil:
	case m.server == nil:
		_ = m.listener.Close()
	default:
		_ = m.server.Close()
		m.done.Wait()
	}
}
