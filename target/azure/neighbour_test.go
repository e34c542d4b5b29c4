package azure_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"loadgen/target/azure"
)

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
		endpoint, err := azure.ParseConnectionString(row.text)
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		for n, want := range map[azure.Neighbour]string{azure.Queue: row.queue, azure.Blob: row.blob} {
			if got, known := endpoint.Neighbour(n); got != want || known != (want != "") {
				t.Errorf("%s: the %v service is at %q, %v; want %q", row.name, n, got, known, want)
			}
		}
		if got, signature := endpoint.Credential(); signature != "" || got != key && !strings.HasPrefix(row.text, "Use") {
			t.Errorf("%s: the credential is %q and %q; want the key", row.name, got, signature)
		}
		if shown := fmt.Sprintf("%v %+v %#v", endpoint, endpoint, endpoint); strings.Contains(shown, key) {
			t.Errorf("%s: printed as %s, with the key", row.name, shown)
		}
	}
	signed, err := azure.ParseConnectionString("AccountName=races;SharedAccessSignature=?sv=1&sig=abc")
	if key, signature := signed.Credential(); err != nil || key != "" || signature != "sv=1&sig=abc" {
		t.Errorf("a shared access signature gives %q and %q, %v; want it without the question mark", key, signature, err)
	}
	if key, signature := (azure.Endpoint{}).Credential(); key != "" || signature != "" {
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
