package azure_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/wire"
	"loadgen/target"
	"loadgen/target/azure"
)

// quiet swallows what servers of the tests log.
var quiet = log.New(io.Discard, "", 0)

const (
	plantedSig = "x8Z+kD/2mQ7w+plantedsignature/9aJ0b3RzY2g="
	plantedKey = testKey
)

func plantedSAS() string {
	return "sv=2019-02-02&ss=t&srt=sco&sp=raud&sig=" + url.QueryEscape(plantedSig)
}

// needles are the forms in which a secret could show.
func needles() []string {
	return []string{plantedKey, plantedKey[:24], plainKey, plantedSig, plantedSig[:16], url.QueryEscape(plantedSig), url.PathEscape(plantedSig),
		"plantedsignature", fmt.Sprintf("%x", plantedSig), fmt.Sprintf("%x", plantedKey), fmt.Sprintf("%X", plainKey),
		strings.Trim(fmt.Sprint([]byte(plainKey)), "[]"), strings.Trim(fmt.Sprint([]byte(plantedSig)), "[]")}
}

func search(t *testing.T, where, text string) {
	t.Helper()
	for _, needle := range needles() {
		if strings.Contains(text, needle) {
			at := strings.Index(text, needle)
			t.Errorf("%s shows %q: %s", where, needle, text[max(0, at-200):min(len(text), at+200)])
		}
	}
}

// printed writes a value in every way that a program or a log is likely to.
func printed(value any) string {
	var text strings.Builder
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%d", "%t", "%e", "%p", "%U", "%10v", "%-10s", "%T", "%w"} {
		fmt.Fprintf(&text, format+"\n", value)
	}
	if encoded, err := json.Marshal(value); err == nil {
		text.Write(encoded)
	}
	fmt.Fprintln(&text, value)
	return text.String()
}

// endpoints holds an endpoint where fmt can call its methods and where not.
type endpoints struct {
	Shown  azure.Endpoint
	hidden azure.Endpoint
	behind *azure.Endpoint
	list   []azure.Endpoint
	named  map[string]any
}

func planted(t *testing.T, address string) []azure.Endpoint {
	t.Helper()
	secret := must(wire.NewSecret(plantedKey))
	keyed := must(azure.ParseURL(address, "races", secret))
	signed := must(keyed.WithSAS(plantedSAS()))
	return []azure.Endpoint{keyed, signed}
}

func TestPrintsShowNoSecret(t *testing.T) {
	for _, endpoint := range planted(t, "https://races.table.core.windows.net") {
		o := azure.Options{Endpoint: endpoint, Clock: clock.NewReal(), Calendar: clock.Epoch(epoch)}
		built := must(azure.New(o))
		defer built.Close()
		holder := endpoints{endpoint, endpoint, &endpoint, []azure.Endpoint{endpoint}, map[string]any{"e": endpoint}}
		for _, value := range []any{endpoint, &endpoint, o, &o, built, holder, &holder, []any{endpoint}, struct{ o azure.Options }{o}} {
			text := printed(value)
			search(t, fmt.Sprintf("%T", value), text)
			if _, plain := value.(azure.Endpoint); plain && !strings.Contains(text, "https://races.table.core.windows.net") {
				t.Errorf("an endpoint is printed as\n%s\nwant its address in it", text)
			}
		}
	}
}

// hostile are servers that do their worst with what they are sent.
func hostile() map[string]func(int, []byte) (string, bool) {
	// echo repeats the request line and headers, which hold the signature.
	echo := func(request []byte) string {
		return strings.NewReplacer("\r\n", " ", `"`, "'", "<", " ").Replace(string(request))
	}
	reply := func(status, headers, body string) string {
		return fmt.Sprintf("HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n%s", status, headers, len(body), body)
	}
	said := func(status string) func(int, []byte) (string, bool) {
		return func(_ int, request []byte) (string, bool) {
			return reply(status, "Content-Type: application/json\r\n",
				`{"odata.error":{"code":"InvalidInput","message":{"lang":"en","value":"cannot serve `+echo(request)+`"}}}`), false
		}
	}
	return map[string]func(int, []byte) (string, bool){
		"an error that repeats the request":  said("400 Bad Request"),
		"a refusal that repeats the request": said("403 Forbidden"),
		"a transaction that repeats it":      said("202 Accepted"),
		"an entity that repeats the request": said("200 OK"),
		"a code that repeats the request": func(_ int, r []byte) (string, bool) {
			return reply("409 Conflict", "x-ms-error-code: "+line(r)+"\r\n", ""), false
		},
		"a server that repeats the request": func(_ int, r []byte) (string, bool) { return reply("403 No", "Server: "+line(r)+"\r\n", ""), false },
		"a status line that repeats it":     func(_ int, r []byte) (string, bool) { return reply("599 "+line(r), "", ""), false },
		"a request for an answer":           func(_ int, r []byte) (string, bool) { return string(r), true },
		"a header without a colon":          func(_ int, r []byte) (string, bool) { return "HTTP/1.1 200 OK\r\n" + line(r) + "\r\n\r\n", true },
		"a redirection to itself": func(_ int, r []byte) (string, bool) {
			return reply("307 Again", "Location: "+line(r)+"\r\n", ""), false
		},
		"a body that breaks off": func(_ int, r []byte) (string, bool) {
			return "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n" + line(r), true
		},
		"a connection that is closed": func(int, []byte) (string, bool) { return "", true },
		"a length that is none": func(_ int, r []byte) (string, bool) {
			return "HTTP/1.1 200 OK\r\nContent-Length: " + line(r) + "\r\n\r\n", true
		},
		"an encoding that nobody knows of": func(_ int, r []byte) (string, bool) {
			return "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + line(r) + "\r\n\r\n", true
		},
		"a transaction of parts that are not": func(_ int, r []byte) (string, bool) {
			return reply("202 OK", "Content-Type: multipart/mixed; boundary=x\r\n", line(r)), false
		},
	}
}

// line returns the target of a request and its Authorization header.
func line(request []byte) string {
	_, target, _ := strings.Cut(string(request), " ")
	target, rest, _ := strings.Cut(target, " ")
	_, proof, found := strings.Cut(rest, "Authorization: ")
	if found {
		proof, _, _ = strings.Cut(proof, "\r\n")
	}
	if !found {
		proof = ""
	}
	return target + " " + proof
}

func TestFailuresShowNoSecret(t *testing.T) {
	for name, answer := range hostile() {
		server := serve(t, answer)
		addresses := []string{server.url(), strings.Replace(server.url(), "http:", "https:", 1)}
		if name == "a connection that is closed" {
			addresses = append(addresses, "http://nowhere.invalid/races", "http://127.0.0.1:1/races")
		}
		for _, address := range addresses {
			for _, endpoint := range planted(t, address) {
				subject := open(t, azure.Options{Endpoint: endpoint})
				both := ways(t, subject)
				for n, op := range every() {
					outcome := both[[]string{"Do", "net/http"}[n%2]].Do(t.Context(), &op)
					search(t, fmt.Sprintf("%s: %v", name, op.Verb), printed(outcome))
					assert.Truef(t, !strings.ContainsAny(outcome.Detail, "\r\n") && len(outcome.Detail) <= 400,
						"%s: %v has the detail %q; want one short line", name, op.Verb, outcome.Detail)
				}
				service, err := subject.Probe(t.Context())
				search(t, name+": probe", printed(service)+printed(err))
				ended, cancel := context.WithCancelCause(context.Background())
				cancel(nil)
				outcome := subject.Do(ended, &target.Operation{Verb: entity.Query, Table: "Runners"})
				search(t, name+": cancelled", printed(outcome))
			}
		}
	}
}
