package azure_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
		{"no host", "https:///races", "", "names no host"},
		{"a host that is none", "https://ra!ces.example.org", "", "names no host"},
		{"a port that is none", "https://races.example.org:x", "", "of the form"},
		{"a signature", "https://races.table.core.windows.net/?sv=2019-02-02&sig=c2VjcmV0", "", "file or an environment variable"},
		{"an empty query", "https://races.table.core.windows.net/?", "", "question mark"},
		{"a fragment", "https://races.table.core.windows.net/#x", "", "question mark"},
		{"a password", "https://me:c2VjcmV0@races.example.org", "", "password"},
		{"a path of two", "http://127.0.0.1:10002/a/b", "", "one account's name"},
		{"a table", "http://127.0.0.1:10002/races/Runners()", "", "one account's name"},
		{"no account at an IP address", "http://127.0.0.1:10002", "", "the account's name"},
		{"no account at a plain name", "http://azurite:10002/", "", "the account's name"},
		{"an account with blanks", "http://127.0.0.1:10002/races", "ra ces", "the account's name"},
		{"a key for an account", "http://127.0.0.1:10002", testKey, "the account's name"},
	} {
		got, err := azure.ParseURL(row.text, row.account, nil)
		require.ErrorIsf(t, err, azure.ErrURL, "%s: ParseURL(%q) = %v", row.name, row.text, got)
		assert.Containsf(t, err.Error(), row.hint, "%s: ParseURL(%q)", row.name, row.text)
		assert.NotRegexpf(t, "\n|c2Vj|"+testKey[:8], err.Error(), "%s: the error repeats what it was given", row.name)
	}
}

func TestWithSAS(t *testing.T) {
	plain := must(azure.ParseURL("https://races.table.core.windows.net", "", nil))
	for _, row := range []struct {
		name, text string
		ok         bool
	}{
		{"a signature", "sv=2019-02-02&sig=c2VjcmV0", true},
		{"a question mark before it", "?sv=2019-02-02&sig=c2VjcmV0", true},
		{"a line end after it, as a file has", "sv=2019-02-02&sig=c2VjcmV0\n", true},
		{"nothing", "", false},
		{"no signature in it", "sv=2019-02-02", false},
		{"a blank in it", "sv=2019-02-02 &sig=c2VjcmV0", false},
		{"a line end in it", "sv=1\r\nX: y&sig=c2VjcmV0", false},
		{"a fragment", "sv=1&sig=c2VjcmV0#", false},
		{"broken escapes", "sv=%zz&sig=c2VjcmV0", false},
	} {
		got, err := plain.WithSAS(row.text)
		if (err == nil) != row.ok || !row.ok && !errors.Is(err, azure.ErrURL) || err != nil && strings.Contains(err.Error(), "c2Vj") {
			t.Errorf("%s: WithSAS(%q) = %v, %v; want ok %v", row.name, row.text, got, err, row.ok)
		}
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
		{"all at fault", azure.Options{Scheme: 3, Connections: -1, Timeout: -1, RunID: "a b"}, 7},
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
		{"nothing", "", "none of the settings"},
		{"a key alone", testKey, "none of the settings"},
		{"an address", "https://races.table.core.windows.net/", "setting 1 is not of the form"},
		{"a part without a value", "AccountName=races" + key + ";EndpointSuffix", "setting 3 is not of the form"},
		{"an empty value", "AccountName=;AccountKey=" + testKey, "AccountName is empty"},
		{"no name", "AccountKey=" + testKey, "AccountName is missing"},
		{"no name beside an endpoint", "TableEndpoint=http://127.0.0.1:10002/races;AccountKey=" + testKey, "AccountName is missing"},
		{"no credential", "AccountName=races", "neither AccountKey nor SharedAccessSignature"},
		{"two credentials", "AccountName=races" + key + ";SharedAccessSignature=" + signature, "both"},
		{"a name given twice", "AccountName=races;accountname=races" + key, "AccountName is given twice"},
		{"a misspelt name", "AcountName=races" + key, "nearly, but not quite, AccountName"},
		{"a misspelt key", "AccountName=races;AccountKye=" + testKey, "nearly, but not quite, AccountKey"},
		{"a misspelt suffix would be missed", "AccountName=races" + key + ";EndpointSufix=core.chinacloudapi.cn", "EndpointSuffix"},
		{"a misspelt emulator", "UseDevelopmentStorag=true", "UseDevelopmentStorage"},
		{"another service's endpoint alone", "BlobEndpoint=https://races.blob.core.windows.net/;SharedAccessSignature=" + signature, "BlobEndpoint, but TableEndpoint is missing"},
		{"another service's endpoint and a name", "AccountName=races" + key + ";QueueEndpoint=http://127.0.0.1:10001/races", "TableEndpoint is missing"},
		{"a key that is no base64", "AccountName=races;AccountKey=c2VjcmV0!", "AccountKey is not base64"},
		{"an account's name that is none", "AccountName=ra ces" + key, "AccountName is not"},
		{"a protocol that is none", "AccountName=races" + key + ";DefaultEndpointsProtocol=ftp", "must be https or http"},
		{"a suffix that is none", "AccountName=races" + key + ";EndpointSuffix=core/windows", "EndpointSuffix is not"},
		{"an endpoint that is none", "AccountName=races" + key + ";TableEndpoint=races", "TableEndpoint: "},
		{"a signature within the endpoint", "TableEndpoint=https://races.table.core.windows.net/?" + signature + ";AccountName=races" + key, "question mark"},
		{"a signature that is none", "AccountName=races;SharedAccessSignature=sv=2019-02-02", "SharedAccessSignature is not"},
		{"the emulator switched off", "UseDevelopmentStorage=false", "must be true"},
		{"the emulator with a key", "UseDevelopmentStorage=true;AccountKey=" + testKey, "leave AccountKey out"},
		{"the emulator at a host that is no name", "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://\xde", "DevelopmentStorageProxyUri: azure: service URL: it names no host"},
		{"the suffix of another service", "AccountName=races;AccountKey=" + testKey + ";EndpointSuffix=blob.core.windows.net", "EndpointSuffix: azure: service URL: this is the address of the blob service"},
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
