package rest_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"loadgen/engine/rest"
)

// replies are handlers that use all that a handler may of its ResponseWriter.
var replies = map[string]func(w http.ResponseWriter, r *http.Request){
	"nothing":      func(http.ResponseWriter, *http.Request) {},
	"a status":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
	"a strange":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(799); w.WriteHeader(200) },
	"not modified": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified); say(w, "lost") },
	"a text":       func(w http.ResponseWriter, _ *http.Request) { say(w, "hello") },
	"a page":       func(w http.ResponseWriter, _ *http.Request) { say(w, "<html>"); say(w, "</html>") },
	"2 KiB":        func(w http.ResponseWriter, _ *http.Request) { say(w, strings.Repeat("x", 2<<10)) },
	"2 KiB and more": func(w http.ResponseWriter, _ *http.Request) {
		say(w, strings.Repeat("x", 2<<10))
		say(w, "y")
	},
	"headers": func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h["X-B"], h["A"], h["Content-Type"] = []string{"1", "2"}, []string{" blank "}, []string{"x/y"}
		h["Date"], h["X-Ends"] = []string{"today"}, []string{"a\r\nb"}
		say(w, "hello")
		h.Set("Too-Late", "1")
	},
	"no date, no type": func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Date"], w.Header()["Content-Type"] = nil, nil
		say(w, "hello")
	},
	"an encoding": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		say(w, "hello")
	},
	"a length": func(w http.ResponseWriter, _ *http.Request) { told(w, 5); say(w, "he"); say(w, "llo") },
	"100 KB of a length": func(w http.ResponseWriter, _ *http.Request) {
		told(w, 100_000)
		for range 10 {
			say(w, strings.Repeat("x", 10_000))
		}
	},
	"less than its length": func(w http.ResponseWriter, _ *http.Request) { told(w, 9); say(w, "hello") },
	"more than its length": func(w http.ResponseWriter, _ *http.Request) { told(w, 5); say(w, "hello"); say(w, "!") },
	"the end":              func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close"); say(w, "hello") },
	"flushed": func(w http.ResponseWriter, _ *http.Request) {
		say(w, "hello")
		_ = http.NewResponseController(w).Flush()
		say(w, "again")
	},
	"flushed, of a length": func(w http.ResponseWriter, _ *http.Request) {
		told(w, 10)
		_ = http.NewResponseController(w).Flush()
		say(w, "helloagain")
	},
	"deadlines": func(w http.ResponseWriter, _ *http.Request) {
		control := http.NewResponseController(w)
		say(w, fmt.Sprint(control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Now().Add(time.Hour))))
	},
	"the body":              func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) },
	"the body, begun first": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(200); _, _ = io.Copy(w, r.Body) },
	"the body's first byte": func(w http.ResponseWriter, r *http.Request) {
		var one [1]byte
		n, err := r.Body.Read(one[:])
		say(w, fmt.Sprintf("%s %d %v", one[:n], n, err == nil || err == io.EOF))
	},
	"the request": func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := net.SplitHostPort(r.RemoteAddr)
		say(w, fmt.Sprint(r.Method, r.URL, r.RequestURI, r.Proto, r.Host, r.Header, r.ContentLength, r.TransferEncoding, r.Close, r.TLS == nil, host, r.Body == http.NoBody))
	},
	"a panic":            func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	"a panic in between": func(w http.ResponseWriter, _ *http.Request) { say(w, "hello"); panic("no") },
}

func say(w http.ResponseWriter, text string) { _, _ = io.WriteString(w, text) }

func told(w http.ResponseWriter, length int) { w.Header().Set("Content-Length", fmt.Sprint(length)) }

// twinRequests are what is sent to each of the handlers.
var twinRequests = []string{get("/a?b=%20"), post("/b", ""), post("/c", "hello"), post("/d", strings.Repeat("x", 3<<10)), post("/e", strings.Repeat("x", 100<<10)),
	"HEAD /f HTTP/1.1\r\nHost: h\r\nX: y\r\nx: z\r\n\r\n", "GET /g HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nhi"}

var dates = regexp.MustCompile(`Date: [^\r]* GMT`)

// What a handler writes comes out the same, the head byte for byte, whether net/http has
// read the request or not, and the connection lasts or ends alike. How a body is cut into
// chunks is nobody's business.
func TestRepliesAreThoseOfNetHTTP(t *testing.T) {
	for name, handler := range replies {
		var twins [2]*rest.Server
		for i := range twins {
			twins[i] = open(t, rest.ListenOptions{NetHTTP: i == 0, Handler: http.HandlerFunc(handler)})
		}
		for _, request := range twinRequests {
			var got [2]string
			for i, s := range twins {
				c := dial(t, s)
				c.send(request)
				got[i] = c.take(request)
				// The second request is out of the ordinary, and the last.
				_, _ = io.WriteString(c, "GET /last HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n") // its error is that the first was
				got[i] += c.take("GET")
				_ = c.Close()
			}
			if got[0] != got[1] {
				t.Errorf("%s to %.20q:\n%.600q; net/http replies\n%.600q", name, request, got[1], got[0])
			}
		}
	}
}

// take reads a reply and returns it, but for how its body is cut into chunks.
func (c *client) take(request string) string {
	var came bytes.Buffer
	method, _, _ := strings.Cut(request, " ")
	reply, err := http.ReadResponse(bufio.NewReader(io.TeeReader(c.in, &came)), &http.Request{Method: method})
	if err != nil {
		return "the end"
	}
	body, err := io.ReadAll(reply.Body)
	head, _, _ := strings.Cut(came.String(), "\r\n\r\n")
	return dates.ReplaceAllString(head, "Date: then") + fmt.Sprintf("\n%s %v\n", body, err)
}
