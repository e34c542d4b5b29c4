package rest_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
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

const (
	races  = "/contoso/Races"
	runner = "/contoso/Races(PartitionKey='full',RowKey='1234')"
	valid  = `{"PartitionKey":"full","RowKey":"9","Number":9}`
)

// badRequests are requests that are not carried out, whatever is in the table.
var badRequests = []struct {
	name, method, target, body string
	headers                    []string
	status                     int
	code                       string
}{
	{"it has half a shared access signature instead", "GET", runner + "?sv=2019-02-02&sig=x", "", []string{"Authorization:"}, 403, "AuthenticationFailed"},
	{"it has the options of a signature, but none", "GET", runner + "?sv=2019-02-02&sp=r", "", []string{"Authorization:"}, 403, "AuthorizationFailure"},
	{"its key is good, but the shared access signature beside it counts", "GET", runner + "?sv=2019-02-02&sig=x", "", nil, 403, "AuthenticationFailed"},
	{"it has an option of a signature twice", "GET", runner + "?sp=r&sp=w", "", nil, 403, "AuthenticationFailed"},
	{"it has a query option twice", "GET", races + "?$top=1&$top=1", "", nil, 400, "InvalidQueryParameterValue"},
	{"its signature is of another scheme", "GET", runner, "", []string{"Authorization: Bearer x.y.z"}, 400, "InvalidAuthenticationInfo"},
	{"its signature has no account", "GET", runner, "", []string{"Authorization: SharedKeyLite abc"}, 400, "InvalidAuthenticationInfo"},
	{"it is signed twice", "GET", runner, "", []string{"+: Authorization=SharedKeyLite contoso:abcd"}, 400, "InvalidAuthenticationInfo"},
	{"its signature is over another path", "GET", runner, "", []string{"Authorization: " + contoso.Lite(date, races)}, 403, "AuthenticationFailed"},
	{"its signature is over another date", "GET", runner, "", []string{"Authorization: " + contoso.Lite("Fri, 20 Nov 2026 11:48:20 GMT", runner)}, 403, "AuthenticationFailed"},
	{"its signature is by another key", "GET", runner, "", []string{"Authorization: " + wrong}, 403, "AuthenticationFailed"},
	{"its signature is of another account", "GET", runner, "", []string{"Authorization: " + strings.Replace(contoso.Lite(date, runner), account, "fabrikam", 1)}, 403, "AuthenticationFailed"},
	{"its account is not here", "GET", "/fabrikam/Races", "", nil, 403, "AuthenticationFailed"},
	{"it names no account", "GET", "/", "", nil, 403, "AuthenticationFailed"},
	{"it has no date", "GET", runner, "", []string{"X-Ms-Date:"}, 403, "AuthenticationFailed"},
	{"its date is none", "GET", runner, "", []string{"X-Ms-Date: today", "Authorization: " + contoso.Lite("today", runner)}, 403, "AuthenticationFailed"},
	{"its date is 15 minutes and a second ago", "GET", runner, "", []string{"X-Ms-Date: Fri, 20 Nov 2026 11:33:18 GMT",
		"Authorization: " + contoso.Lite("Fri, 20 Nov 2026 11:33:18 GMT", runner)}, 403, "AuthenticationFailed"},
	{"its date is 15 minutes and a second ahead", "GET", runner, "", []string{"X-Ms-Date: Fri, 20 Nov 2026 12:03:20 GMT",
		"Authorization: " + contoso.Lite("Fri, 20 Nov 2026 12:03:20 GMT", runner)}, 403, "AuthenticationFailed"},
	{"it writes to the secondary", "DELETE", "/contoso-secondary/Tables('Races')", "", nil, 403, "AuthorizationFailure"},
	{"its transaction goes to the secondary", "POST", "/contoso-secondary/$batch", deleteBatch, []string{batchType}, 403, "AuthorizationFailure"},

	{"its target is no path", "GET", "*", "", nil, 400, "InvalidUri"},
	{"its path ends within an escape", "GET", "/contoso/Races%4", "", nil, 400, "InvalidUri"},
	{"its path goes too deep", "GET", "/contoso/Races/Full", "", nil, 400, "InvalidUri"},
	{"its key has no RowKey", "GET", "/contoso/Races(PartitionKey='full')", "", nil, 400, "InvalidInput"},
	{"its key has a control character", "GET", "/contoso/Races(PartitionKey='%01',RowKey='1')", "", nil, 400, "OutOfRangeInput"},
	{"its query string ends within an escape", "GET", races + "?$top=%4", "", nil, 400, "InvalidQueryParameterValue"},
	{"its query string is not UTF-8", "GET", races + "?$filter=%FF", "", nil, 400, "InvalidQueryParameterValue"},
	{"it has an option twice", "GET", races + "?$top=1&%24top=2", "", nil, 400, "InvalidQueryParameterValue"},
	{"its time-out is no number", "GET", races + "?timeout=soon", "", nil, 400, "InvalidQueryParameterValue"},
	{"its version is no date", "GET", races, "", []string{"X-Ms-Version: latest!!!"}, 400, "InvalidHeaderValue"},
	{"it wants an unknown component", "GET", races + "?comp=lease", "", nil, 400, "InvalidQueryParameterValue"},
	{"it sets the access policies of a table that is missing", "PUT", "/contoso/Rowers?comp=acl", "", nil, 404, "TableNotFound"},
	{"it sets access policies on the secondary", "PUT", "/contoso-secondary/Races?comp=acl", "", nil, 403, "AuthorizationFailure"},
	{"it sets access policies that are none", "PUT", races + "?comp=acl", "{}", nil, 400, "InvalidXmlDocument"},
	{"it sets access policies without a length", "PUT", races + "?comp=acl", "", []string{"Content-Length:"}, 411, "MissingContentLengthHeader"},
	{"it sets too many access policies to read", "PUT", races + "?comp=acl", strings.Repeat(" ", 64<<10+1), nil, 413, "RequestBodyTooLarge"},
	{"it deletes access policies", "DELETE", races + "?comp=acl", "", nil, 405, "MethodNotAllowed"},
	{"it wants the access policies of an entity", "GET", runner + "?comp=acl", "", nil, 400, "InvalidQueryParameterValue"},
	{"it wants the access policies of a service", "GET", races + "?restype=service&comp=acl", "", nil, 400, "InvalidQueryParameterValue"},
	{"it wants properties of no service", "GET", "/contoso/?comp=properties", "", nil, 400, "InvalidQueryParameterValue"},
	{"it sets properties that are none", "PUT", "/contoso/?restype=service&comp=properties", "", nil, 400, "InvalidXmlDocument"},
	{"it sets properties on the secondary", "PUT", "/contoso-secondary/?restype=service&comp=properties", "", nil, 403, "AuthorizationFailure"},
	{"it is a preflight without an origin", "OPTIONS", races, "", []string{"Authorization:", "Access-Control-Request-Method: GET"}, 400, "InvalidHeaderValue"},
	{"it is a preflight without a method", "OPTIONS", races, "", []string{"Authorization:", "Origin: http://a"}, 400, "InvalidHeaderValue"},
	{"it is a preflight to an account that is not here", "OPTIONS", "/fabrikam/Races", "", []string{"Origin: http://a", "Access-Control-Request-Method: GET"}, 403, "CorsPreflightFailure"},
	{"it has no host", "GET", runner, "", []string{"Host:"}, 400, "HostInformationNotPresent"},

	{"the account itself is nothing to get", "GET", "/contoso", "", nil, 405, "MethodNotAllowed"},
	{"a table is not to be replaced", "PUT", "/contoso/Tables('Races')", "", nil, 405, "MethodNotAllowed"},
	{"an entity set is not to be merged", "PATCH", races, valid, nil, 405, "MethodNotAllowed"},
	{"an entity is not to be posted to", "POST", runner, valid, nil, 405, "MethodNotAllowed"},
	{"a transaction is not to be got", "GET", "/contoso/$batch", "", nil, 405, "MethodNotAllowed"},
	{"a method override without POST", "PUT", runner, valid, []string{"X-HTTP-Method: MERGE"}, 400, "XMethodNotUsingPost"},
	{"two method overrides", "POST", runner, valid, []string{"X-HTTP-Method: MERGE", "+: X-HTTP-Method=PUT"}, 400, "XMethodIncorrectCount"},
	{"an override to a verb that nobody knows", "POST", runner, valid, []string{"X-HTTP-Method: BREW"}, 400, "XMethodIncorrectValue"},

	{"it wants Atom by an option", "GET", runner + "?$format=application/atom%2bxml", "", nil, 415, "AtomFormatNotSupported"},
	{"it sends Atom", "POST", races, "<entry/>", []string{"Content-Type: application/atom+xml; type=entry"}, 415, "AtomFormatNotSupported"},
	{"its body is empty", "POST", races, "", nil, 400, "InvalidInput"},
	{"its body has no PartitionKey", "POST", races, `{"RowKey":"1"}`, nil, 400, "PropertiesNeedValue"},
	{"its body has no RowKey", "POST", races, `{"PartitionKey":"1"}`, nil, 400, "PropertiesNeedValue"},
	{"its key holds a slash", "POST", races, `{"PartitionKey":"a/b","RowKey":"1"}`, nil, 400, "OutOfRangeInput"},
	{"an insert has a condition", "POST", races, valid, []string{"If-Match: *"}, 400, "InvalidInput"},
	{"its RowKey is not that of the URL", "PUT", runner, valid, nil, 400, "InvalidInput"},
	{"its PartitionKey is not that of the URL", "PUT", runner, `{"PartitionKey":"half"}`, nil, 400, "InvalidInput"},

	{"its token is not of this service", "GET", races + "?NextPartitionKey=full", "", nil, 400, "InvalidInput"},
	{"its second token is not of this service", "GET", races + "?NextPartitionKey=1!0!&NextRowKey=1", "", nil, 400, "InvalidInput"},
	{"its second token is alone", "GET", races + "?NextRowKey=1!0!", "", nil, 400, "InvalidInput"},
	{"it wants a page of less than none", "GET", races + "?$top=-1", "", nil, 400, "InvalidInput"},
	{"it wants a page of too many", "GET", races + "?$top=1001", "", nil, 400, "InvalidInput"},
	{"it selects more than there can be", "GET", races + "?$select=" + strings.Repeat("a,", 256), "", nil, 400, "InvalidInput"},

	{"its table's name is too short", "POST", "/contoso/Tables", `{"TableName":"ab"}`, nil, 400, "OutOfRangeInput"},
	{"its table's name has a blank", "POST", "/contoso/Tables", `{"TableName":"a b c"}`, nil, 400, "InvalidResourceName"},
	{"its table's name is missing", "POST", "/contoso/Tables", `{}`, nil, 400, "PropertiesNeedValue"},
	{"its list of tables is resumed from nowhere", "GET", "/contoso/Tables?NextTableName=Races", "", nil, 400, "InvalidInput"},
	{"its transaction has no boundary", "POST", "/contoso/$batch", deleteBatch, []string{"Content-Type: multipart/mixed"}, 400, "InvalidInput"},
}

// wrong is a signature of the request for the runner by another key.
var wrong = resttest.Key{Account: account, Secret: "d3Jvbmc="}.Lite(date, runner)

func TestBadRequests(t *testing.T) {
	s := withTable(t)
	before := s.Engine.Counts()
	for _, row := range badRequests {
		w := s.Do(row.method, row.target, row.body, row.headers...)
		assert.Equalf(t, row.status, w.Code, "%s: %s %s = %s", row.name, row.method, row.target, w.Body)
		assert.Equalf(t, row.code, resttest.CodeOf(t, w), "%s: %s %s", row.name, row.method, row.target)
		assert.Equalf(t, "2019-02-02", w.Header().Get("x-ms-version"), "%s: x-ms-version", row.name)
	}
	assert.Equal(t, before.Ok, s.Engine.Counts().Ok, "requests that the engine carried out")
	c := s.Counts()
	want := int64(len(badRequests))
	assert.Truef(t, c.Failed == want && c.Requests == want+1, "Counts() = %+v; want %d failed of %d", c, want, want+1)
}

func TestErrorsAreXMLForThoseWhoSpeakNoJSON(t *testing.T) {
	s := withTable(t)
	for _, row := range []struct {
		name, target, accept string
		headers              []string
		xml                  bool
	}{
		{"a wrong signature, XML accepted", runner, "application/xml", []string{"Authorization: " + wrong}, true},
		{"a wrong signature, anything accepted", runner, "*/*", []string{"Authorization: " + wrong}, true},
		{"a wrong signature, JSON accepted", runner, "application/json", []string{"Authorization: " + wrong}, false},
		{"a wrong signature, JSON by option", runner + "?$format=json", "", []string{"Authorization: " + wrong}, false},
		{"access policies", "/contoso/Rowers?comp=acl", "application/json", nil, true},
		{"statistics", "/contoso/?restype=service&comp=stats", "application/json", nil, true},
		{"a missing entity, anything accepted", runner, "*/*", nil, false},
		{"a missing entity, nothing said", runner, "", nil, false},
	} {
		w := s.Do("GET", row.target, "", append(row.headers, "Accept: "+row.accept)...)
		resttest.CodeOf(t, w)
		text, mediaType := w.Body.String(), w.Header().Get("Content-Type")
		assert.Equalf(t, strings.Contains(text, "(The MAC signature"), len(row.headers) > 0,
			"%s: GET %s = %s", row.name, row.target, text)
		if got := strings.HasPrefix(text, "\ufeff<"); got != row.xml || got != (mediaType == "application/xml") {
			t.Errorf("%s: GET %s = %s %s; want XML: %v", row.name, row.target, mediaType, text, row.xml)
		}
	}
}

// See TestLongBodiesAreRefusedEarly for what is longer than it may be.
func TestBodiesAreReadToTheirEnd(t *testing.T) {
	s := withTable(t)
	s.Want(t, 400, "POST", races, strings.Repeat(" ", 4<<20))
	r := resttest.NewRequest("POST", races, valid[:10])
	r.ContentLength = int64(len(valid))
	assert.Equal(t, "InvalidInput", resttest.CodeOf(t, s.Send(r)), "a body that ends early")
	r = resttest.NewRequest("POST", races, valid)
	r.ContentLength, r.TransferEncoding = -1, []string{"chunked"}
	assert.Equal(t, http.StatusCreated, s.Send(r).Code, "a body in chunks")
}

func TestOptionsSayAllThatIsWrong(t *testing.T) {
	_, err := rest.New(rest.Options{Accounts: []rest.Account{{Name: "Contoso"}, {Name: "Contoso"}}, Name: "a\nb"})
	for _, want := range []string{"engine:", "clock:", "calendar:", "accounts[0].name", "accounts[1].name", "twice", "accounts[0].secret", "name:"} {
		assert.ErrorContains(t, err, want)
	}
}
