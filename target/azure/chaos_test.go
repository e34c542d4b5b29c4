package azure_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/target"
	"loadgen/target/azure"
)

// chaos is a service that does to a request what its number says.
type chaos struct {
	mu sync.Mutex
	// seen is how often each request came.
	seen map[string]int
	// arrived are told that a request which is never answered is there.
	arrived map[string]func()
}

// What becomes of a request, by its number: the rest is answered as it should be.
const (
	hungUpOn = iota
	cutWithin
	garbled
	neverAnswered
	farewell
	hungUpAfter
	inDrops
	unframed
	inChunks
	fates = 16
)

// serve answers the requests of one connection.
func (c *chaos) serve(conn net.Conn) {
	converse(conn, conn, func(request *http.Request) (string, bool) {
		body, _ := io.ReadAll(request.Body)
		id := strings.TrimPrefix(request.Header.Get("x-ms-client-request-id"), "run7-")
		if !matchesRow(request, string(body), "row"+id) {
			return teapot, true
		}
		c.mu.Lock()
		c.seen[id]++
		told := c.arrived[id]
		c.mu.Unlock()
		return answerByNumber(conn, must(strconv.Atoi(id)), told)
	})
}

// matchesRow reports whether address, headers and body of a request are those of one operation, on
// that row.
func matchesRow(r *http.Request, body, row string) bool {
	switch r.Method {
	case http.MethodGet:
		return strings.Contains(r.URL.Path, "RowKey='"+row+"'") && body == ""
	case http.MethodPost:
		return strings.Contains(body, `"RowKey":"`+row+`"`) && r.Header.Get("Prefer") == "return-no-content" &&
			len(r.Header["If-Match"]) == 0
	default:
		return strings.Contains(r.URL.Path, "RowKey='"+row+"'") && r.Header.Get("If-Match") == "*" &&
			len(r.Header["Content-Type"]) == 0 && body == ""
	}
}

// answerByNumber returns the reply to a request, and false where the connection is to be closed.
func answerByNumber(conn net.Conn, number int, told func()) (reply string, stay bool) {
	body := fmt.Sprintf(`{"PartitionKey":"NYC 2011","RowKey":"row%d","Timestamp":"2026-11-20T11:48:20Z","Echo":"%d"}`, number, number)
	const head = "HTTP/1.1 200 OK\nContent-Type: application/json\n"
	whole := framed(head+"\n"+body, false)
	switch number % fates {
	case hungUpOn:
		return "", false
	case cutWithin:
		return whole[:len(whole)-1-number%len(body)], false
	case garbled:
		return strings.Replace(whole, "Content-Length: ", "Content-Length: -", 1), true
	case neverAnswered:
		told()
		return "", true
	case farewell:
		return strings.Replace(whole, "\r\n", "\r\nCONNECTION: Close\r\n", 1), true
	case hungUpAfter:
		return whole, false
	case inDrops:
		for _, drop := range "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 X\r\nX: y\r\n\r\n" + whole {
			io.WriteString(conn, string(drop))
		}
		return "", true
	case unframed:
		return strings.ReplaceAll(head+"\n", "\n", "\r\n") + body, false
	case inChunks:
		return framed(head+"\n"+body, true), true
	}
	return whole, true
}

// Many attempts at once meet a service that does all that is wrong: each gets its
// own reply or none, no request comes twice, and every connection is closed in
// the end.
func TestNoReplyIsMixedUp(t *testing.T) {
	t.Parallel()
	c := &chaos{seen: map[string]int{}, arrived: map[string]func(){}}
	const workers, apiece, kept = 8, 20 * fates, 3
	subject := open(t, azure.Options{Endpoint: endpointAt(t, "http://"+each(t, c.serve)+"/races"), Connections: kept, Timeout: 30 * time.Second})
	var working sync.WaitGroup
	for worker := range workers {
		working.Go(func() {
			for i := range apiece {
				number := worker*apiece + i
				row := fmt.Sprintf("row%d", number)
				op := []target.Operation{get(row), single(entity.Insert, row, entity.Match{}),
					single(entity.Delete, row, entity.MatchAny)}[i%3]
				op.Number = uint64(number)
				ctx, cancel := context.WithCancel(context.Background())
				c.mu.Lock()
				c.arrived[fmt.Sprint(number)] = cancel
				c.mu.Unlock()
				c.check(t, &op, subject.Do(ctx, &op))
				cancel()
			}
		})
	}
	working.Wait()
	if n := subject.Connections(); n.Opened+n.Reused != workers*apiece || n.Refused != 0 || n.Reused == 0 {
		t.Errorf("Connections() = %+v; want %d attempts on connections, some used again", n, workers*apiece)
	}
	assert.LessOrEqual(t, subject.Callers(), 1, "callers that are listened to once all attempts have ended")
}

func (c *chaos) check(t *testing.T, op *target.Operation, got target.Outcome) {
	c.mu.Lock()
	came := c.seen[fmt.Sprint(op.Number)]
	c.mu.Unlock()
	assert.Truef(t, came <= 1 && (came != 0 || got.Status == 0),
		"request %d came %d times, with the outcome %+v; want once, or never where there is no reply", op.Number, came, got)
	fate := op.Number % fates
	switch {
	case got.Status == 200:
		echo, _ := got.Entity.Lookup("Echo")
		if op.Verb == entity.Get && echo.Text() != fmt.Sprint(op.Number) || fate <= neverAnswered || got.Counted != 1 {
			t.Errorf("request %d, of fate %d, found %q; want its own number, or no reply", op.Number, fate, echo.Text())
		}
	case got.Status != 0 || fate > neverAnswered && !strings.HasPrefix(got.Detail, "the connection was "):
		// A connection can be hung up before it is seen to be.
		t.Errorf("request %d, of fate %d = %+v; want 200", op.Number, fate, got)
	}
}

// The outcomes of one caller are not altered by what others get: replies are read
// into room that is used again.
func TestOutcomesStay(t *testing.T) {
	for _, op := range []target.Operation{get("1"), {Verb: entity.Query, Table: "Runners"}} {
		subject, _ := openAt(t, func(number int, _ []byte) (string, bool) {
			digit := fmt.Sprint(number % 10)
			row := fmt.Sprintf(`{"PartitionKey":"part%s","RowKey":"row%s","Timestamp":"2026-11-20T11:48:20Z","Echo":"%s"}`, digit, digit, digit)
			if op.Verb == entity.Query {
				row = `{"value":[` + row + `]}`
			}
			return framed("HTTP/1.1 200 OK\nContent-Type: application/json\nx-ms-continuation-NextPartitionKey: next"+digit+"\n\n"+row, false), false
		}, azure.Options{})
		var outcomes []target.Outcome
		var all []string
		for i := range 20 {
			outcomes = append(outcomes, subject.Do(t.Context(), &op))
			require.Equalf(t, 200, outcomes[i].Status, "%v: Do = %+v", op.Verb, outcomes[i])
			all = append(all, fmt.Sprint(outcomes[i]))
		}
		for i := range outcomes {
			assert.Equalf(t, all[i], fmt.Sprint(outcomes[i]), "%v: outcome %d, in the end", op.Verb, i)
		}
	}
}
