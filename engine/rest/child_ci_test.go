//go:build (ci || long) && unix

package rest_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/store/durable"
	"loadgen/engine/wire"
)

// childVariable names the handler that a child process is to serve.
const childVariable = "LOADGEN_REST_TEST_SERVES"

func TestMain(m *testing.M) {
	if handler := os.Getenv(childVariable); handler != "" {
		serveForParent(handler)
		return
	}
	os.Exit(m.Run())
}

// serveForParent serves on a port that it prints, and prints the processor time
// that it has used for every line that it reads.
func serveForParent(name string) {
	h, end := unlimited(nil), func() {}
	if name != "rest" {
		h, end = kept(name == "sync")
	}
	server, err := rest.Listen(rest.ListenOptions{Address: "127.0.0.1:0", Handler: h})
	if err != nil {
		panic(err)
	}
	fmt.Println(server.Address())
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var used syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
			panic(err)
		}
		fmt.Println((used.Utime.Nano() + used.Stime.Nano()) / 1000)
	}
	if err := server.Close(context.Background()); err != nil {
		panic(err)
	}
	end()
}

// kept serves tables that are kept in a folder, until end is called.
func kept(sync bool) (h http.Handler, end func()) {
	folder, err := os.MkdirTemp("", "cost")
	if err != nil {
		panic(err)
	}
	s, err := durable.Open(durable.Options{Folder: folder, Account: account, Sync: sync})
	if err != nil {
		panic(err)
	}
	return unlimited(s), func() {
		if err := errors.Join(s.Close(), os.RemoveAll(folder)); err != nil {
			panic(err)
		}
	}
}

// unlimited serves the tables of a store without limits; nil is one in memory.
func unlimited(tables engine.Store) http.Handler {
	m, err := model.New(model.Off)
	if err != nil {
		panic(err)
	}
	key, err := wire.NewSecret(secret)
	if err != nil {
		panic(err)
	}
	h, err := rest.New(rest.Options{Clock: clock.NewReal(), Calendar: clock.Epoch(epoch().Time()), Accounts: []rest.Account{{Name: account, Secret: key}},
		Engine: engine.New(engine.Options{Model: m, Accounts: []string{account}, Calendar: clock.Epoch(epoch().Time()), Stores: map[string]engine.Store{account: tables}})})
	if err != nil {
		panic(err)
	}
	return h
}

// child is a server in a process of its own.
type child struct {
	command *exec.Cmd
	input   io.WriteCloser
	output  *bufio.Reader
	address string
}

func start(b testing.TB, handler string) *child {
	b.Helper()
	c := &child{command: exec.Command(os.Args[0])}
	c.command.Env = append(os.Environ(), childVariable+"="+handler)
	input, err := c.command.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	output, err := c.command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := c.command.Start(); err != nil {
		b.Fatal(err)
	}
	c.input, c.output = input, bufio.NewReader(output)
	c.address = c.line(b)
	b.Cleanup(func() {
		_ = c.input.Close()
		if err := c.command.Wait(); err != nil {
			b.Error(err)
		}
	})
	return c
}

func (c *child) line(b testing.TB) string {
	line, err := c.output.ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// used returns the processor time that the child has used, in microseconds.
func (c *child) used(b testing.TB) float64 {
	b.Helper()
	if _, err := io.WriteString(c.input, "\n"); err != nil {
		b.Fatal(err)
	}
	micros, err := strconv.ParseFloat(c.line(b), 64)
	if err != nil {
		b.Fatal(err)
	}
	return micros
}

// numbered is what stands for the request's number in what is sent.
const numbered = "########"

// send sends n requests over some connections at once.
func (c *child) send(b testing.TB, n int64, request []byte, status string) {
	b.Helper()
	c.sendFrom(b, 0, n, request, status)
}

// sendFrom is send with numbers after the first ones.
func (c *child) sendFrom(b testing.TB, first, n int64, request []byte, status string) {
	b.Helper()
	const connections = 16
	var next atomic.Int64
	var group sync.WaitGroup
	at := bytes.Index(request, []byte(numbered))
	for range connections {
		group.Go(func() {
			connection, err := net.Dial("tcp", c.address)
			if err != nil {
				b.Error(err)
				return
			}
			defer connection.Close()
			mine, reader := bytes.Clone(request), bufio.NewReaderSize(connection, 64<<10)
			for i := first + next.Add(1); i <= first+n; i = first + next.Add(1) {
				if at >= 0 {
					copy(mine[at:], fmt.Sprintf("%08d", i))
				}
				if _, err := connection.Write(mine); err != nil {
					b.Error(err)
					return
				}
				if got := readReply(reader); got != status {
					b.Errorf("reply = %s; want %s", got, status)
					return
				}
			}
		})
	}
	group.Wait()
}

// readReply reads a reply with a length and returns its status.
func readReply(r *bufio.Reader) string {
	status, length := "", 0
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err.Error()
		}
		if status == "" {
			status = string(line[9:12])
		} else if len(line) == 2 {
			if _, err := r.Discard(length); err != nil {
				return err.Error()
			}
			return status
		} else if value, found := bytes.CutPrefix(line, []byte("Content-Length: ")); found {
			length, _ = strconv.Atoi(string(bytes.TrimSpace(value)))
		}
	}
}

// raw returns the bytes of a request, signed.
func raw(method, target, body string, headers ...string) []byte {
	text := method + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\nx-ms-version: 2019-02-02\r\nx-ms-date: " + date +
		"\r\nAccept: application/json;odata=minimalmetadata\r\nAuthorization: " + lite(date, target) + "\r\n"
	for _, header := range headers {
		text += header + "\r\n"
	}
	if method != http.MethodGet {
		text += "Content-Length: " + strconv.Itoa(len(body)) + "\r\n"
	}
	return []byte(text + "\r\n" + body)
}
