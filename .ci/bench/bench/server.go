package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/target/azure"
	"loadgenbench/process"
)

// Who is measured, as figures name them.
const (
	ofServe   = "serve"
	ofBare    = "net/http"
	ofAzurite = "Azurite"
)

// connections are the loads of servers.
var connections = [...]int{1, 8, 32}

const maxConnections = 32

// server is a table service in a process of its own.
type server struct {
	name  string
	child *process.Child
	to    *azure.Target
	*requests
}

// open has a client speak to a child, and its table be made.
func open(ctx context.Context, name string, child *process.Child, connection string, clk clock.Real) (*server, error) {
	s := &server{name: name, child: child}
	endpoint, err := azure.ParseConnectionString(connection)
	if err == nil {
		s.to, err = azure.New(azure.Options{Endpoint: endpoint, Connections: maxConnections, Clock: clk, Calendar: clk})
	}
	if err == nil {
		s.requests, err = newRequests(s.to)
	}
	if err == nil {
		s.again = true
		err = s.furnish(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), s.close())
	}
	return s, nil
}

func (s *server) close() error {
	if s.to != nil {
		s.to.Close()
	}
	return s.child.End()
}

// startServe starts loadgen as a table service without limits.
func (o *Options) startServe(ctx context.Context) (*server, error) {
	child, line, err := process.Start(ctx, o.Clock, func(line string) bool { return strings.Contains(line, "TableEndpoint=") },
		o.Program, "serve", "--profile", "off", "--listen", "127.0.0.1:0", "--quiet")
	if err != nil {
		return nil, err
	}
	return open(ctx, ofServe, child, line, o.Clock)
}

// startBare starts the bare handler, which replays once it has its table.
func (o *Options) startBare(ctx context.Context) (*server, error) {
	child, address, err := process.Start(ctx, o.Clock, func(string) bool { return true }, o.Bare, "-bare")
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, ofBare, child, bareString(address), o.Clock)
	if err != nil {
		return nil, err
	}
	if err := child.WriteLine("replay"); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// bareString is the connection string of the bare account at an address.
func bareString(address string) string {
	return "DefaultEndpointsProtocol=http;AccountName=" + bareAccount + ";AccountKey=" + bareKey + ";TableEndpoint=http://" + address + "/" + bareAccount
}

// cost measures what an operation costs the server alone.
func (s *server) cost(ctx context.Context, o *Options, what string, lanes int) (reading, error) {
	var before, after time.Duration
	read := func(into *time.Duration) func() error {
		return func() (err error) {
			*into, err = s.child.CPU()
			return err
		}
	}
	l := load{clock: o.Clock, lanes: lanes, lasts: slice, least: minOf(what), begins: read(&before), ends: read(&after), do: s.named(ctx, what, lanes)}
	operations, lasted, err := l.run(ctx)
	if err != nil {
		return reading{}, fmt.Errorf("%s, %s: %w", s.name, what, err)
	}
	return reading{operations: operations, cpu: after - before, lasted: lasted}, nil
}

// minOf is how many operations a turn has at least: what serve does in some 20 ms of CPU.
func minOf(what string) int64 {
	switch what {
	case whatInsert, whatGet:
		return 500
	case whatScan:
		return 150
	case whatBatch:
		return 50
	default:
		return 20
	}
}

// servers opens what the group measures, and returns notes on the parts that are left out.
func (o *Options) servers(ctx context.Context) (list []*server, notes []string, err error) {
	starts := []func(context.Context) (*server, error){o.startServe, o.startBare}
	if o.Peers {
		starts = append(starts, o.startAzurite)
	}
	for _, start := range starts {
		s, err := start(ctx)
		missing := new(missingError)
		switch {
		case errors.As(err, &missing):
			notes = append(notes, missing.Error())
		case err != nil:
			return list, notes, err
		default:
			list = append(list, s)
		}
	}
	return list, notes, nil
}

// serverCells are the operations by connections, with the servers next to one another.
func (o *Options) serverCells(list []*server) []cell {
	lanes := connections[:]
	if o.Quick {
		lanes = lanes[len(lanes)-1:]
	}
	var cells []cell
	for _, n := range lanes {
		for _, what := range []struct {
			name  string
			per   int
			thing string
		}{{whatInsert, 0, ""}, {whatGet, 0, ""}, {whatBatch, batchRows, "entity"}, {whatPage, pageRows, "row"}, {whatScan, pageRows, "row"}} {
			for _, s := range list {
				cells = append(cells, cell{Cell: Cell{GroupServer, what.name, connectionsName(n), s.name}, per: what.per, thing: what.thing, slow: s.name == ofAzurite,
					run: func(ctx context.Context) (reading, error) { return s.cost(ctx, o, what.name, n) }})
			}
		}
	}
	return cells
}

func connectionsName(n int) string {
	if n == 1 {
		return "1 connection"
	}
	return fmt.Sprintf("%d connections", n)
}
