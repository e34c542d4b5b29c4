package rest_test

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
	"loadgen/engine/wire"
	"loadgen/results/resultstest"
)

// The absolute URLs of a reply begin with the host and account that were asked. An address is
// no name with an account before its first dot, even where an account is called like its first number.
func TestURLsOfReplies(t *testing.T) {
	numbered := rest.Account{Name: "127", Secret: must(wire.NewSecret(contoso.Secret))(t)}
	s := withTable(t, resttest.Options{Rest: rest.Options{Accounts: []rest.Account{numbered}}})
	for i, row := range []struct{ name, target, host, want string }{
		{"path style", races, "127.0.0.1:10002", "http://127.0.0.1:10002/contoso/"},
		{"path style under another name", races, "localhost", "http://localhost/contoso/"},
		{"host style", "/Races", "contoso.table.core.windows.net", "http://contoso.table.core.windows.net/"},
	} {
		body := fmt.Sprintf(`{"PartitionKey":"p q","RowKey":"%d"}`, i)
		w := s.Want(t, 201, "POST", row.target, body, "Host: "+row.host, "Accept: application/json")
		assert.Equalf(t, fmt.Sprintf("%sRaces(PartitionKey='p%%20q',RowKey='%d')", row.want, i), w.Header().Get("Location"),
			"%s: Location", row.name)
		assert.Contains(t, w.Body.String(), `{"odata.metadata":"`+row.want+`$metadata#Races/@Element"`, row.name)
	}
}

// A reply carries the date at which it leaves, and the secondary's names itself.
func TestRepliesAreDatedAndPlaced(t *testing.T) {
	s := withTable(t)
	for _, row := range []struct {
		at         time.Duration
		date, host string
	}{
		{0, "Fri, 20 Nov 2026 11:48:19 GMT", "/contoso"},
		{999_999_999, "Fri, 20 Nov 2026 11:48:19 GMT", "/contoso-secondary"},
		{time.Second, "Fri, 20 Nov 2026 11:48:20 GMT", "/contoso"},
		{12 * time.Minute, "Fri, 20 Nov 2026 12:00:19 GMT", "/contoso-secondary"},
	} {
		s.Clock.Set(row.at)
		w := s.Want(t, 200, "GET", row.host+"/Tables", "", "Accept: application/json")
		assert.Equalf(t, row.date, w.Header().Get("Date"), "after %v: Date", row.at)
		assert.Contains(t, w.Body.String(), `{"odata.metadata":"http://127.0.0.1:10002`+row.host+`/$metadata#Tables"`)
	}
}

// Whatever came before it, a request is answered in the same way: an exchange
// that is used again remembers nothing.
func TestNothingIsLeftOfTheRequestBefore(t *testing.T) {
	type request struct {
		method, target, body string
		headers              []string
	}
	requests := []request{
		{"GET", races + "?$top=1&$select=Number", "", nil},
		{"GET", races, "", []string{"Accept: application/json;odata=fullmetadata"}},
		{"PUT", runner, `{"Number":1}`, []string{"If-Match: *"}},
		{"DELETE", "/contoso/Races(PartitionKey='full',RowKey='0')", "", []string{"If-Match: *"}},
		{"POST", races, `{"PartitionKey":"full","RowKey":"1234"}`, []string{"Prefer: return-no-content"}},
		{"POST", "/contoso/$batch", insertBatch("full", "7", "1234"), []string{batchType, "X-Loadgen-Ask: counted"}},
		{"POST", "/contoso/$batch", "--batch_1", []string{batchType}},
		{"POST", races, "{", nil},
		{"GET", "/contoso/Tables", "", nil},
		{"GET", runner, "", []string{"Authorization:", "Accept:"}},
		{"GET", "/contoso/Rowers?$top=7", "", []string{"X-Loadgen-Ask: counted"}},
		{"GET", "/contoso/Tables('Rowers')", "", []string{"X-Loadgen-Ask: counted"}},
		{"GET", signed(races+"?", tableSAS+"r&spk=full&srk=1&sv=2019-02-02"), "", []string{"Authorization:", "X-Ms-Version:"}},
		{"GET", races + "?comp=acl", "", []string{"Accept:"}},
		{"OPTIONS", races, "", []string{"Origin: http://a", "Access-Control-Request-Method: GET"}},
		{"HEAD", races + "?comp=acl", "", nil},
		{"POST", races, `{"PartitionKey":"full","RowKey":"1234","Number":1}`, nil},
	}
	changing := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|\d\d(:|%3A)\d\d\.\d+Z`)
	answer := func(s *service, r request) string {
		w := s.Do(r.method, r.target, r.body, r.headers...)
		return changing.ReplaceAllString(fmt.Sprint(w.Code, w.Header(), w.Body), "*")
	}
	fresh := func() *service {
		s := withTable(t)
		s.insert(t, "full", "0", 0)
		s.insert(t, "full", "1234", 1)
		return s
	}
	for _, second := range requests {
		want := answer(fresh(), second)
		for _, first := range requests {
			if first.method == "DELETE" {
				continue
			}
			s := fresh()
			answer(s, first)
			assert.Equalf(t, want, answer(s, second), "%s %s after %s %s", second.method, second.target, first.method, first.target)
		}
	}
}

// A golden file begins with the model and its settings. Then come exchanges, in
// order, with one service: after a line that begins with -- send what is sent,
// after -- reply what comes back, byte for byte. A line ends with CR LF on the
// wire; what is shown as \n is a line feed alone. {lite}, {key} and {length}
// stand for a signature by either scheme and for the length of the body.
func TestGolden(t *testing.T) {
	resultstest.CheckGoldens(t, "testdata/*.txt", replay)
}

// replay sends what a golden file sends, and returns the file with the replies
// that came back.
func replay(t *testing.T, golden string) string {
	head, script, _ := strings.Cut(golden, "\n-- send")
	profile, settings := "off", []string(nil)
	for line := range strings.Lines(head) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "model" {
			profile, settings = words[1], words[2:]
		}
	}
	server := open(t, rest.ListenOptions{Handler: newService(t, resttest.Options{Profile: profile, Settings: settings})})
	out := head
	for exchange := range strings.SplitSeq(script, "\n-- send") {
		sent, _, _ := strings.Cut(exchange, "\n-- reply")
		title, text, _ := strings.Cut(sent, "\n")
		reply := converse(t, server.Address(), fill(text))
		out += "\n-- send" + title + "\n" + text + "\n-- reply\n" + show(reply)
	}
	return out + "\n"
}

// fill makes of a request in a golden file the bytes to send.
func fill(text string) []byte {
	text = strings.ReplaceAll(text, "\n", "\r\n")
	head, body, _ := strings.Cut(text, "\r\n\r\n")
	line, _, _ := strings.Cut(head, "\r\n")
	words := strings.Fields(line)
	header := func(name string) string {
		_, rest, _ := strings.Cut(head, "\r\n"+name+": ")
		value, _, _ := strings.Cut(rest, "\r\n")
		return value
	}
	path, query, _ := strings.Cut(words[1], "?")
	resource := "/" + account + path
	if _, comp, found := strings.Cut("&"+query, "&comp="); found {
		comp, _, _ = strings.Cut(comp, "&")
		resource += "?comp=" + comp
	}
	sent := header("x-ms-date")
	head = strings.NewReplacer(
		"{length}", fmt.Sprint(len(body)),
		"{lite}", "SharedKeyLite "+account+":"+contoso.MAC(sent+"\n"+resource),
		"{key}", "SharedKey "+account+":"+contoso.MAC(words[0]+"\n\n"+header("Content-Type")+"\n"+sent+"\n"+resource),
	).Replace(head)
	return []byte(head + "\r\n\r\n" + body)
}

// show makes of a reply what a golden file has.
func show(reply []byte) string {
	const crlf = "\x00"
	text := strings.ReplaceAll(string(reply), "\r\n", crlf)
	text = strings.ReplaceAll(text, "\n", `\n`)
	return strings.ReplaceAll(text, crlf, "\n")
}

// converse sends a request over a connection of its own and reads the reply, by
// its length.
func converse(t *testing.T, address string, request []byte) []byte {
	t.Helper()
	c := resttest.DialConn(t, address)
	defer c.Close()
	c.Send(string(request))
	var reply bytes.Buffer
	c.In.Reset(io.TeeReader(c.Conn, &reply))
	_, _, err := c.Reply()
	require.NoErrorf(t, err, "reply = %q", reply.String())
	return reply.Bytes()
}
