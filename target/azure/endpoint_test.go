package azure_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/target/azure"
)

func TestParseURL(t *testing.T) {
	const races = "https://races.table.core.windows.net"
	for _, row := range []struct {
		name, text, account, address, wantAccount string
		cosmos                                    bool
	}{
		{"host style", races, "", races, "races", false},
		{"a slash at the end", races + "/", "", races, "races", false},
		{"path style", "http://127.0.0.1:10002/devstoreaccount1", "", "http://127.0.0.1:10002/devstoreaccount1", "devstoreaccount1", false},
		{"path style by a name with an underscore", "http://azurite_1:10002/races/", "", "http://azurite_1:10002/races", "races", false},
		{"the secondary signs with the account's own name", "http://127.0.0.1:10002/races-secondary", "races", "http://127.0.0.1:10002/races-secondary", "races", false},
		{"an emulator without a segment", "http://127.0.0.1:8902", "localhost", "http://127.0.0.1:8902", "localhost", false},
		{"IPv6", "http://[::1]:10002/races", "", "http://[::1]:10002/races", "races", false},
		{"blanks around it", " " + races + "\n", "", races, "races", false},
		{"Cosmos DB", "https://races.table.cosmos.azure.com:443/", "", "https://races.table.cosmos.azure.com:443", "races", true},
		{"Cosmos DB in capitals", "https://RACES.Table.Cosmos.Azure.COM", "races", "https://RACES.Table.Cosmos.Azure.COM", "races", true},
		{"its older name", "https://races.table.cosmosdb.azure.com", "", "https://races.table.cosmosdb.azure.com", "races", true},
		{"another cloud", "https://races.table.cosmos.azure.cn", "", "https://races.table.cosmos.azure.cn", "races", true},
		{"a host that only begins like it", "https://races.table.cosmos.azure.com.example.org", "races", "https://races.table.cosmos.azure.com.example.org", "races", false},
		{"a host that only ends like it", "https://xtable.cosmos.azure.com", "races", "https://xtable.cosmos.azure.com", "races", false},
	} {
		got, err := azure.ParseURL(row.text, row.account, nil)
		assert.Truef(t, err == nil && got.String() == row.address && got.Account() == row.wantAccount && got.Cosmos() == row.cosmos,
			"%s: ParseURL(%q, %q) = %v of %q, %v; want %s of %q", row.name, row.text, row.account, got, got.Account(), err,
			row.address, row.wantAccount)
	}
	assert.False(t, (azure.Endpoint{}).Cosmos(), "no endpoint at all is taken for Cosmos DB")
}

func TestParseURLFaults(t *testing.T) {
	for _, row := range []struct{ name, text, account, hint string }{
		{"nothing", "", "", "begin with https://"},
		{"another scheme", "ftp://races.table.core.windows.net", "", "begin with https://"},
		{"no host", "https:///races", "", "expected a host name"},
		{"a host that is none", "https://ra!ces.example.org", "", "expected a host name"},
		{"a port that is none", "https://races.example.org:x", "", "expected https://host"},
		{"a signature", "https://races.table.core.windows.net/?sv=2019-02-02&sig=c2VjcmV0", "", "file or environment variable"},
		{"an empty query", "https://races.table.core.windows.net/?", "", "remove the query"},
		{"a fragment", "https://races.table.core.windows.net/#x", "", "remove the query"},
		{"a password", "https://me:c2VjcmV0@races.example.org", "", "password"},
		{"a path of two", "http://127.0.0.1:10002/a/b", "", "an account name"},
		{"a table", "http://127.0.0.1:10002/races/Runners()", "", "an account name"},
		{"no account at an IP address", "http://127.0.0.1:10002", "", "account name: "},
		{"no account at a plain name", "http://azurite:10002/", "", "account name: "},
		{"an account with blanks", "http://127.0.0.1:10002/races", "ra ces", "account name: "},
		{"a key for an account", "http://127.0.0.1:10002", testKey, "account name: "},
	} {
		got, err := azure.ParseURL(row.text, row.account, nil)
		require.ErrorIsf(t, err, azure.ErrURL, "%s: ParseURL(%q) = %v", row.name, row.text, got)
		assert.Containsf(t, err.Error(), row.hint, "%s: ParseURL(%q)", row.name, row.text)
		assert.NotRegexpf(t, "\n|c2Vj|"+testKey[:8], err.Error(), "%s: the error repeats what it was given", row.name)
	}
}

func TestOptionsFaults(t *testing.T) {
	naked := must(azure.ParseURL("https://races.table.core.windows.net", "", nil))
	for _, row := range []struct {
		name   string
		o      azure.Options
		faults int
	}{
		{"nothing but zeros", azure.Options{}, 3},
		{"no credential", azure.Options{Endpoint: naked}, 3},
		{"all at fault", azure.Options{Connections: -1, Timeout: -1, RunID: "a b"}, 6},
		{"a name that is too long", azure.Options{RunID: strings.Repeat("x", 201)}, 4},
	} {
		faults := row.o.Validate()
		assert.Lenf(t, faults, row.faults, "%s: Validate() = %q; want %d faults", row.name, faults, row.faults)
		built, err := azure.New(row.o)
		assert.Truef(t, errors.Is(err, azure.ErrOptions), "%s: New = %v, %v; want ErrOptions", row.name, built, err)
	}
}

const signature = "sv=2019-02-02&ss=t&srt=sco&sp=raud&se=2026-12-01T00:00:00Z&sig=dGhpcyBpcyBzZWNyZXQ%3D"

func TestParseConnectionString(t *testing.T) {
	const key = ";AccountKey=" + testKey
	for _, row := range []struct{ name, text, address, account string }{
		{"what the portal shows", "DefaultEndpointsProtocol=https;AccountName=races" + key + ";EndpointSuffix=core.windows.net",
			"https://races.table.core.windows.net", "races"},
		{"name and key", "AccountName=races" + key, "https://races.table.core.windows.net", "races"},
		{"another order, a line end, a semicolon at the end", "AccountKey=" + testKey + ";AccountName=races;\n", "https://races.table.core.windows.net", "races"},
		{"names in another case, blanks", " accountname = races ; ACCOUNTKEY = " + testKey + " ", "https://races.table.core.windows.net", "races"},
		{"another cloud", "AccountName=races" + key + ";EndpointSuffix=core.chinacloudapi.cn", "https://races.table.core.chinacloudapi.cn", "races"},
		{"http", "DefaultEndpointsProtocol=HTTP;AccountName=races" + key, "http://races.table.core.windows.net", "races"},
		{"an endpoint of its own", "AccountName=races" + key + ";TableEndpoint=http://127.0.0.1:10002/races;", "http://127.0.0.1:10002/races", "races"},
		{"all endpoints", "AccountName=races" + key + ";BlobEndpoint=http://127.0.0.1:10000/races;TableEndpoint=http://127.0.0.1:10002/races",
			"http://127.0.0.1:10002/races", "races"},
		{"Cosmos DB", "DefaultEndpointsProtocol=https;AccountName=races" + key + ";TableEndpoint=https://races.table.cosmos.azure.com:443/;",
			"https://races.table.cosmos.azure.com:443", "races"},
		{"a signature with an endpoint", "TableEndpoint=https://races.table.core.windows.net/;SharedAccessSignature=" + signature,
			"https://races.table.core.windows.net", "races"},
		{"a signature with a name", "AccountName=races;SharedAccessSignature=?" + signature, "https://races.table.core.windows.net", "races"},
		{"the emulator", "UseDevelopmentStorage=true", "http://127.0.0.1:10002/devstoreaccount1", "devstoreaccount1"},
		{"the emulator elsewhere", "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://azurite", "http://azurite:10002/devstoreaccount1", "devstoreaccount1"},
		{"the emulator by IPv6", "UseDevelopmentStorage=TRUE;DevelopmentStorageProxyUri=http://[::1]:80/", "http://[::1]:10002/devstoreaccount1", "devstoreaccount1"},
		{"settings that do not matter", "AccountName=races" + key + ";TableSecondaryEndpoint=https://x;Whatever=1", "https://races.table.core.windows.net", "races"},
	} {
		got, err := azure.ParseConnectionString(row.text)
		require.NoErrorf(t, err, "%s: ParseConnectionString(%q)", row.name, row.text)
		assert.Equalf(t, row.address+" "+row.account, got.String()+" "+got.Account(), "%s: ParseConnectionString(%q)", row.name, row.text)
	}
}

func TestConnectionStringFaults(t *testing.T) {
	const key = ";AccountKey=" + testKey
	for _, row := range []struct{ name, text, hint string }{
		{"nothing", "", "no known settings"},
		{"a key alone", testKey, "no known settings"},
		{"an address", "https://races.table.core.windows.net/", "setting 1 is not of the form"},
		{"a part without a value", "AccountName=races" + key + ";EndpointSuffix", "setting 3 is not of the form"},
		{"an empty value", "AccountName=;AccountKey=" + testKey, "AccountName is empty"},
		{"no name", "AccountKey=" + testKey, "AccountName is missing"},
		{"no name beside an endpoint", "TableEndpoint=http://127.0.0.1:10002/races;AccountKey=" + testKey, "AccountName is missing"},
		{"no credential", "AccountName=races", "neither AccountKey nor SharedAccessSignature"},
		{"two credentials", "AccountName=races" + key + ";SharedAccessSignature=" + signature, "mutually exclusive"},
		{"a name given twice", "AccountName=races;accountname=races" + key, "AccountName is given twice"},
		{"a misspelt name", "AcountName=races" + key, "did you mean AccountName"},
		{"a misspelt key", "AccountName=races;AccountKye=" + testKey, "did you mean AccountKey"},
		{"a misspelt suffix would be missed", "AccountName=races" + key + ";EndpointSufix=core.chinacloudapi.cn", "EndpointSuffix"},
		{"a misspelt emulator", "UseDevelopmentStorag=true", "UseDevelopmentStorage"},
		{"another service's endpoint alone", "BlobEndpoint=https://races.blob.core.windows.net/;SharedAccessSignature=" + signature, "BlobEndpoint, but TableEndpoint is missing"},
		{"another service's endpoint and a name", "AccountName=races" + key + ";QueueEndpoint=http://127.0.0.1:10001/races", "TableEndpoint is missing"},
		{"a key that is no base64", "AccountName=races;AccountKey=c2VjcmV0!", "AccountKey is not base64"},
		{"an account's name that is none", "AccountName=ra ces" + key, "AccountName: expected"},
		{"a protocol that is none", "AccountName=races" + key + ";DefaultEndpointsProtocol=ftp", "must be https or http"},
		{"a suffix that is none", "AccountName=races" + key + ";EndpointSuffix=core/windows", "EndpointSuffix is not"},
		{"an endpoint that is none", "AccountName=races" + key + ";TableEndpoint=races", "TableEndpoint: "},
		{"a signature within the endpoint", "TableEndpoint=https://races.table.core.windows.net/?" + signature + ";AccountName=races" + key, "remove the query"},
		{"a signature that is none", "AccountName=races;SharedAccessSignature=sv=2019-02-02", "SharedAccessSignature is not"},
		{"a signature with a blank", "AccountName=races;SharedAccessSignature=sv=2019-02-02 &sig=c2VjcmV0", "SharedAccessSignature is not"},
		{"a signature with a line end", "AccountName=races;SharedAccessSignature=sv=1\r\nX: y&sig=c2VjcmV0", "SharedAccessSignature is not"},
		{"a signature with a fragment", "AccountName=races;SharedAccessSignature=sv=1&sig=c2VjcmV0#", "SharedAccessSignature is not"},
		{"a signature with broken escapes", "AccountName=races;SharedAccessSignature=sv=%zz&sig=c2VjcmV0", "SharedAccessSignature is not"},
		{"the emulator switched off", "UseDevelopmentStorage=false", "must be true"},
		{"the emulator with a key", "UseDevelopmentStorage=true;AccountKey=" + testKey, "excludes AccountKey"},
		{"the emulator at a host that is no name", "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://\xde", "DevelopmentStorageProxyUri: azure: service URL: expected a host name"},
		{"the suffix of another service", "AccountName=races;AccountKey=" + testKey + ";EndpointSuffix=blob.core.windows.net", "EndpointSuffix: azure: service URL: this is the blob service"},
		{"the emulator at no host", "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=azurite", "not of the form http://host"},
	} {
		got, err := azure.ParseConnectionString(row.text)
		require.ErrorIsf(t, err, azure.ErrConnectionString, "%s: ParseConnectionString(%q) = %v", row.name, row.text, got)
		assert.Containsf(t, err.Error(), row.hint, "%s: ParseConnectionString(%q)", row.name, row.text)
		assert.NotRegexpf(t, "\n|c2Vj|dGhpcy|2019-02-02|"+testKey[:10], err.Error(), "%s: the error repeats what it was given", row.name)
	}
}

func TestNeighbours(t *testing.T) {
	const key = "cGxhbnRlZCBzZWNyZXQgcGxhbnRlZCBzZWNyZXQ="
	named := "AccountName=races;AccountKey=" + key
	for _, row := range []struct {
		name, text, queue, blob string
	}{
		{"an account of Azure", named, "https://races.queue.core.windows.net", "https://races.blob.core.windows.net"},
		{"another cloud", named + ";EndpointSuffix=core.chinacloudapi.cn;DefaultEndpointsProtocol=http", "http://races.queue.core.chinacloudapi.cn", "http://races.blob.core.chinacloudapi.cn"},
		{"addresses of their own", named + ";TableEndpoint=http://127.0.0.1:3/races;QueueEndpoint=http://127.0.0.1:4/races/;BlobEndpoint=https://blobs.example.org", "http://127.0.0.1:4/races", "https://blobs.example.org"},
		{"one address of its own", named + ";TableEndpoint=https://races.table.core.windows.net;BlobEndpoint=https://blobs.example.org", "https://races.queue.core.windows.net", "https://blobs.example.org"},
		{"path style alone tells none", named + ";TableEndpoint=http://127.0.0.1:10002/races", "", ""},
		{"path style at a name like Azure's tells none", named + ";TableEndpoint=http://a.table.b/races", "", ""},
		{"Cosmos DB has none", named + ";TableEndpoint=https://races.table.cosmos.azure.com", "", ""},
		{"a name of one's own tells none", named + ";TableEndpoint=https://tables.example.org", "", ""},
		{"the emulator", "UseDevelopmentStorage=true", "http://127.0.0.1:10001/devstoreaccount1", "http://127.0.0.1:10000/devstoreaccount1"},
		{"the emulator elsewhere", "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://[::1]", "http://[::1]:10001/devstoreaccount1", "http://[::1]:10000/devstoreaccount1"},
	} {
		endpoint := must(azure.ParseConnectionString(row.text))
		for n, want := range map[azure.Neighbour]string{azure.Queue: row.queue, azure.Blob: row.blob} {
			if got, known := endpoint.Neighbour(n); got != want || known != (want != "") {
				t.Errorf("%s: the %v service is at %q, %v; want %q", row.name, n, got, known, want)
			}
		}
		if got, signature := endpoint.Credential(); signature != "" || got != key && !strings.HasPrefix(row.text, "Use") {
			t.Errorf("%s: the credential is %q and %q; want the key", row.name, got, signature)
		}
	}
	signed, err := azure.ParseConnectionString("AccountName=races;SharedAccessSignature=?sv=1&sig=abc")
	if key, signature := signed.Credential(); err != nil || key != "" || signature != "sv=1&sig=abc" {
		t.Errorf("a shared access signature gives %q and %q, %v; want it without the question mark", key, signature, err)
	}
	if key, signature := (azure.Endpoint{}).Credential(); key+signature != "" {
		t.Error("no endpoint has a credential")
	}
	for _, bad := range []string{"QueueEndpoint=ftp://x/races", "BlobEndpoint=http://x/races?sig=" + key} {
		_, err := azure.ParseConnectionString(named + ";TableEndpoint=http://127.0.0.1:3/races;" + bad)
		setting, _, _ := strings.Cut(bad, "=")
		if !errors.Is(err, azure.ErrConnectionString) || !strings.Contains(err.Error(), setting) || strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v; want an error that names the setting alone", setting, err)
		}
	}
}

const (
	tablesServer = "Server: Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0\n"
	onTime       = "Date: Fri, 20 Nov 2026 11:48:19 GMT\n"
	jsonReply    = "Content-Type: application/json;odata=minimalmetadata\n"
	noTables     = "\n" + `{"odata.metadata":"http://127.0.0.1/races/$metadata#Tables","value":[]}`
)

// failing is the reply of a table service to a request that it does not carry
// out.
func failing(status, date, code string) string {
	return "HTTP/1.1 " + status + "\n" + tablesServer + date + jsonReply + "\n" +
		`{"odata.error":{"code":"` + code + `","message":{"lang":"en-US","value":"It will not do."}}}`
}

func TestProbe(t *testing.T) {
	const forbidden = "403 Forbidden"
	late := "Date: Fri, 20 Nov 2026 12:04:19 GMT\n"
	early := "Date: Fri, 20 Nov 2026 11:28:19 GMT\n"
	const (
		account = "sv=2019-02-02&ss=t&srt=sco&sp=raudl&sig=c2VjcmV0"
		expired = account + "&se=2026-11-20T11:00:00Z"
		future  = account + "&st=2026-11-21"
		ofTable = "sv=2019-02-02&tn=Runners&sp=r&sig=c2VjcmV0"
	)
	for _, row := range []struct {
		name, reply, sas string
		kind             error
		hint             string
	}{
		{"a table service", "HTTP/1.1 200 OK\n" + tablesServer + onTime + jsonReply + noTables, "", nil, ""},
		{"a table service that says nothing of itself", "HTTP/1.1 200 OK\n" + jsonReply + noTables, "", nil, ""},
		{"an entity, for a table's signature", strings.Replace(golden(t, "query_200_last"), "\n\n", "\n"+onTime+"\n", 1), ofTable, nil, ""},
		{"a wrong key", failing(forbidden, onTime, "AuthenticationFailed"), "", azure.ErrAuthentication, "not the account races's"},
		{"a disabled account", failing(forbidden, onTime, "AccountIsDisabled"), "", azure.ErrAuthentication, "403 AccountIsDisabled: It will not do."},
		{"no account of that name", failing("404 Not Found", onTime, "ResourceNotFound"), "", azure.ErrAuthentication, "no account races"},
		{"a token asked for", failing("401 Unauthorized", onTime, "InvalidAuthenticationInfo"), "", azure.ErrAuthentication, "401"},
		{"a malformed proof", failing("400 Bad Request", onTime, "InvalidAuthenticationInfo"), "", azure.ErrAuthentication, "400"},
		{"a clock 16 minutes slow", failing(forbidden, late, "AuthenticationFailed"), "", azure.ErrClock, "16m0s slow"},
		{"a clock 20 minutes fast", failing(forbidden, early, "AuthenticationFailed"), "", azure.ErrClock, "20m0s fast"},
		{"a clock off that does no harm", "HTTP/1.1 200 OK\n" + tablesServer + late + jsonReply + noTables, "", nil, ""},
		{"an expired signature", failing(forbidden, onTime, "AuthenticationFailed"), expired, azure.ErrAuthentication, "expired at 2026-11-20T11:00:00Z"},
		{"a signature of tomorrow", failing(forbidden, onTime, "AuthenticationFailed"), future, azure.ErrAuthentication, "valid from 2026-11-21T00:00:00Z"},
		{"a wrong signature", failing(forbidden, onTime, "AuthenticationFailed"), account, azure.ErrAuthentication, "not valid for the account"},
		{"a signature for other services", failing(forbidden, onTime, "AuthorizationServiceMismatch"), account, azure.ErrAuthentication, "lacks permissions"},
		{"a signature that does not open lists", failing(forbidden, onTime, "AuthorizationPermissionMismatch"), account, nil, ""},
		{"a signature for entities alone", failing(forbidden, onTime, "AuthorizationResourceTypeMismatch"), account, nil, ""},
		{"a table's signature whose table is missing", failing("404 Not Found", onTime, "TableNotFound"), ofTable, nil, ""},
		{"a busy service", failing("503 Busy", onTime, "ServerBusy"), "", nil, ""},
		{"a blob service", "HTTP/1.1 400 Bad Request\nServer: Windows-Azure-Blob/1.0 Microsoft-HTTPAPI/2.0\nContent-Type: application/xml\n\n<?xml version=\"1.0\"?><Error><Code>InvalidUri</Code></Error>",
			"", azure.ErrNotTables, "this is the blob service"},
		{"a queue service that refuses the key", "HTTP/1.1 403 Forbidden\nServer: Azurite-Queue/3.35.0\n\n<Error><Code>AuthenticationFailed</Code></Error>",
			"", azure.ErrNotTables, "this is the queue service"},
		{"a service that does not say which", "HTTP/1.1 400 Bad Request\nx-ms-error-code: InvalidQueryParameterValue\n\n<?xml version=\"1.0\"?><Error><Code>InvalidQueryParameterValue</Code></Error>",
			"", azure.ErrNotTables, "another service"},
		{"a web page", "HTTP/1.1 200 OK\nServer: nginx\nContent-Type: text/html\n\n<!doctype html><title>It works</title>", "", azure.ErrNotTables, "200 with a web page"},
		{"another JSON", "HTTP/1.1 200 OK\nContent-Type: application/json\n\n{\"hello\":1}", "", azure.ErrNotTables, "a body of another kind"},
		{"nothing", "HTTP/1.1 200 OK\nContent-Length: 0\n\n", "", azure.ErrNotTables, "nothing in it"},
		{"a redirection", "HTTP/1.1 302 Found\nLocation: https://example.org\nContent-Length: 0\n\n", "", azure.ErrNotTables, "302"},
		{"plain text to a port of TLS", "HTTP/1.1 400 Bad Request\nContent-Type: text/plain\n\nClient sent an HTTP request to an HTTPS server.", "", azure.ErrNotTables, "needs https"},
		{"an unknown table error", failing("415 Unsupported", onTime, "AtomFormatNotSupported"), "", azure.ErrNotTables, "415 AtomFormatNotSupported"},
	} {
		server := serve(t, func(int, []byte) (string, bool) { return framed(row.reply, false), true })
		endpoint := endpointAt(t, server.url())
		if row.sas != "" {
			endpoint = signedAt(server.url(), row.sas)
		}
		subject := open(t, azure.Options{Endpoint: endpoint, Clock: still{clock.NewReal()}})
		got, err := subject.Probe(t.Context())
		assert.Truef(t, (row.kind == nil) == (err == nil) && errors.Is(err, row.kind),
			"%s: Probe = %+v, %v; want %v", row.name, got, err, row.kind)
		if err != nil && (!strings.Contains(err.Error(), row.hint) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "c2Vj")) {
			t.Errorf("%s: Probe = %q; want one line with %q", row.name, err, row.hint)
		}
		assert.Lenf(t, server.requests(), 1, "%s: requests", row.name)
		path := "GET /races/Tables?$top=1"
		if strings.Contains(row.sas, "tn=") {
			path = "GET /races/Runners()?$top=1&sv="
		}
		if request := string(server.requests()[0]); !strings.HasPrefix(request, path) || strings.Contains(request, "Authorization:") != (row.sas == "") {
			t.Errorf("%s: asked\n%s\nwant %s, signed by one or the other", row.name, request, path)
		}
	}
}

func TestProbeDescribes(t *testing.T) {
	const later = "Date: Fri, 20 Nov 2026 11:48:29 GMT\n"
	reply := "HTTP/1.1 200 OK\n" + tablesServer + later + "x-ms-version: 2019-02-02\n" + jsonReply
	subject, _ := openAt(t, always(framed(reply+noTables, true)), azure.Options{Clock: still{clock.NewReal()}})
	want := azure.Service{Server: "Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0", Ahead: 10 * time.Second}
	got, err := subject.Probe(t.Context())
	assert.Truef(t, err == nil && got == want, "Probe = %+v, %v; want %+v", got, err, want)
}

func TestProbeGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		subject := open(t, azure.Options{Clock: clk, Timeout: time.Minute})
		stuck := make(chan struct{})
		n := &network{answer: func(*http.Request) (string, bool) { <-stuck; return "", false }}
		n.join(subject)
		_, err := subject.Probe(t.Context())
		if !errors.Is(err, azure.ErrUnreachable) || !strings.Contains(err.Error(), "no reply within 4s") || clk.Now() != clock.Instant(4*time.Second) {
			t.Errorf("Probe = %v at %v; want ErrUnreachable after 4s", err, clk.Now().Offset())
		}
		close(stuck)
		n.handlers.Wait()
	})
}
