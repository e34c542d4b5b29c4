package azure_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/target"
	"loadgen/target/azure"
)

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
		if at := strings.Index(text, needle); at >= 0 {
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
	keyed := endpointAt(t, address)
	return []azure.Endpoint{keyed, must(keyed.WithSAS(plantedSAS()))}
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

// hostile are replies of servers that do their worst with what they are sent: of {line} and
// {request}. The connection ends after those without a length.
var hostile = map[string]string{
	"an error that repeats the request":   "400 Bad Request\n{said}",
	"a refusal that repeats the request":  "403 Forbidden\n{said}",
	"a transaction that repeats it":       "202 Accepted\n{said}",
	"an entity that repeats the request":  "200 OK\n{said}",
	"a code that repeats the request":     "409 Conflict\nx-ms-error-code: {line}\n\n",
	"a code that repeats the signature":   "409 Conflict\nx-ms-error-code: {signature}\n\n",
	"a server that repeats the request":   "403 No\nServer: {line}\n\n",
	"a status line that repeats it":       "599 {line}\n\n",
	"a redirection to itself":             "307 Again\nLocation: {line}\n\n",
	"a transaction of parts that are not": "202 OK\nContent-Type: multipart/mixed; boundary=x\n\n{line}",
	"a header without a colon":            "200 OK\n{line}\nContent-Length:0\n\n",
	"a body that breaks off":              "200 OK\nContent-Length: 9999\n\n{line}",
	"a length that is none":               "200 OK\nContent-Length: {line}\n\n",
	"an encoding that nobody knows of":    "200 OK\nTransfer-Encoding: {line}\nContent-Length: 0\n\n",
	"a request for an answer":             "",
	"a connection that is closed":         "",
}

// worst returns the answer of a hostile server.
func worst(name string) func(int, []byte) (string, bool) {
	said := "Content-Type: application/json\n\n" +
		`{"odata.error":{"code":"InvalidInput","message":{"lang":"en","value":"cannot serve {request}"}}}`
	return func(_ int, request []byte) (string, bool) {
		switch name {
		case "a request for an answer":
			return string(request), true
		case "a connection that is closed":
			return "", true
		}
		// The request line and headers hold the signature.
		plain := strings.NewReplacer("\r\n", " ", `"`, "'", "<", " ").Replace(string(request))
		text := strings.Replace(hostile[name], "{said}", said, 1)
		text = strings.NewReplacer("{request}", plain, "{line}", line(request), "{signature}", signatureOf(request)).Replace(text)
		return framed("HTTP/1.1 "+text, false), strings.Contains(hostile[name], "\nContent-Length:")
	}
}

// line returns the target of a request and its Authorization header.
func line(request []byte) string {
	_, target, _ := strings.Cut(string(request), " ")
	target, rest, _ := strings.Cut(target, " ")
	_, proof, _ := strings.Cut(rest, "Authorization: ")
	proof, _, _ = strings.Cut(proof, "\r\n")
	return target + " " + proof
}

// signatureOf returns the signature in the address of a request, if any.
func signatureOf(request []byte) string {
	_, signature, _ := strings.Cut(string(request), "sig=")
	return signature[:max(0, strings.IndexAny(signature, "& "))]
}

func TestFailuresShowNoSecret(t *testing.T) {
	t.Parallel()
	for name := range hostile {
		server := serve(t, worst(name))
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
				ended, cancel := context.WithCancel(context.Background())
				cancel()
				outcome := subject.Do(ended, &target.Operation{Verb: entity.Query, Table: "Runners"})
				search(t, name+": cancelled", printed(outcome))
			}
		}
	}
}
