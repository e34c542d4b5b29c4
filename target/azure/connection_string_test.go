package azure_test

import (
	"errors"
	"strings"
	"testing"

	"loadgen/target/azure"
)

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
		if err != nil || got.String() != row.address || got.Account() != row.account {
			t.Errorf("%s: ParseConnectionString(%q) = %v of %q, %v; want %s of %q", row.name, row.text, got, got.Account(), err, row.address, row.account)
		}
	}
}

func TestConnectionStringFaults(t *testing.T) {
	const key = ";AccountKey=" + testKey
	for _, row := range []struct{ name, text, hint string }{
		{"nothing", "", "none of the settings"},
		{"semicolons", ";;;", "none of the settings"},
		{"unknown settings", "Server=x;User=y", "none of the settings"},
		{"a key alone", testKey, "none of the settings"},
		{"a word", "hello", "setting 1 is not of the form"},
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
		if !errors.Is(err, azure.ErrConnectionString) || !strings.Contains(err.Error(), row.hint) {
			t.Errorf("%s: ParseConnectionString(%q) = %v, %v; want ErrConnectionString with %q", row.name, row.text, got, err, row.hint)
			continue
		}
		for _, secret := range []string{"\n", testKey[:10], "c2Vj", "dGhpcy", "2019-02-02"} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s: the error %q repeats %q", row.name, err, secret)
			}
		}
	}
}
