package rest_test

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/rest/resttest"
)

// signed appends the options of a shared access signature to a target, and the
// signature over them, as the documents have it and not as what is tested.
func signed(target, options string) string {
	v, err := url.ParseQuery(options)
	if err != nil {
		panic(err)
	}
	lines := []string{account, v.Get("sp"), v.Get("ss"), v.Get("srt"), v.Get("st"), v.Get("se"), v.Get("sip"), v.Get("spr"), v.Get("sv"), ""}
	if v.Get("tn") != "" {
		lines = []string{v.Get("sp"), v.Get("st"), v.Get("se"), "/table/" + account + "/" + strings.ToLower(v.Get("tn")), v.Get("si"),
			v.Get("sip"), v.Get("spr"), v.Get("sv"), v.Get("spk"), v.Get("srk"), v.Get("epk"), v.Get("erk")}
	}
	return target + options + "&sig=" + url.QueryEscape(contoso.MAC(strings.Join(lines, "\n")))
}

// bearer sends a request that nothing but its query string authorises. The
// options are a signature's, of a table where they name one.
func (s *service) bearer(method, target, options, body string, headers ...string) (status int, w http.Header, text string) {
	joint := map[bool]string{false: "?", true: "&"}[strings.Contains(target, "?")]
	headers = append([]string{"Authorization:", "X-Ms-Date:"}, headers...)
	reply := s.Do(method, signed(target+joint, options), body, headers...)
	return reply.Code, reply.Header(), reply.Body.String()
}

const (
	tableSAS   = "tn=Races&sv=2019-02-02&se=2030-01-01T00:00:00Z&sp="
	accountSAS = "ss=t&sv=2019-02-02&se=2030-01-01T00:00:00Z&srt="
)

// Who asks for what, and with which signature: all the operations that there are.
func TestSignaturesAllowWhatTheySay(t *testing.T) {
	const (
		permission = "AuthorizationPermissionMismatch"
		resource   = "AuthorizationResourceTypeMismatch"
		never      = "AuthorizationFailure"
	)
	batch := func(options string) string { return options + "|" + insertBatch("full", "8", "9") }
	upserts := strings.Replace(insertBatch("full", "8"), "POST http://127.0.0.1:10002/contoso/Races",
		"PUT http://127.0.0.1:10002/contoso/Races(PartitionKey='full',RowKey='8')", 1)
	for _, row := range []struct {
		name, method, target, options string
		headers                       []string
		code                          string
	}{
		{"a query of a table", "GET", races, tableSAS + "r", nil, ""},
		{"a query of a table in another case", "GET", "/contoso/rACES", tableSAS + "r", nil, ""},
		{"a query without reading", "GET", races, tableSAS + "aud", nil, permission},
		{"a query of another table", "GET", "/contoso/Boats", tableSAS + "raud", nil, never},
		{"a get", "GET", runner, tableSAS + "r", nil, ""},
		{"a get from the secondary", "GET", strings.Replace(runner, "contoso", "contoso-secondary", 1), tableSAS + "r", nil, ""},
		{"an insert", "POST", races, tableSAS + "a|" + valid, nil, ""},
		{"an insert without adding", "POST", races, tableSAS + "rud|" + valid, nil, permission},
		{"an update", "PUT", runner, tableSAS + "u|{}", []string{"If-Match: *"}, ""},
		{"an update without updating", "PATCH", runner, tableSAS + "rad|{}", []string{"If-Match: *"}, permission},
		{"an upsert", "PUT", runner, tableSAS + "au|{}", nil, ""},
		{"an upsert without adding", "PUT", runner, tableSAS + "ru|{}", nil, permission},
		{"an upsert without updating", "MERGE", runner, tableSAS + "ra|{}", nil, permission},
		{"a delete", "DELETE", runner, tableSAS + "d", []string{"If-Match: *"}, ""},
		{"a delete without deleting", "DELETE", runner, tableSAS + "rau", []string{"If-Match: *"}, permission},
		{"a delete by POST", "POST", runner, tableSAS + "d", []string{"If-Match: *", "X-HTTP-Method: DELETE"}, ""},
		{"a transaction", "POST", "/contoso/$batch", batch(tableSAS + "a"), []string{batchType}, ""},
		{"a transaction without adding", "POST", "/contoso/$batch", batch(tableSAS + "rud"), []string{batchType}, permission},
		{"a transaction of an upsert without adding", "POST", "/contoso/$batch", tableSAS + "u|" + upserts, []string{batchType}, permission},
		{"a transaction on another table", "POST", "/contoso/$batch", strings.Replace(batch(tableSAS+"a"), "tn=Races", "tn=Boats", 1), []string{batchType}, never},
		{"a table's list", "GET", "/contoso/Tables", tableSAS + "raud", nil, never},
		{"a table's own policies", "GET", races + "?comp=acl", tableSAS + "raud", nil, never},
		{"the service, for a table", "GET", "/contoso/?restype=service&comp=properties", tableSAS + "raud", nil, never},

		{"a list of tables", "GET", "/contoso/Tables", accountSAS + "c&sp=l", nil, ""},
		{"a list of tables without listing", "GET", "/contoso/Tables", accountSAS + "c&sp=rwdacu", nil, permission},
		{"a list of tables by who may have entities", "GET", "/contoso/Tables", accountSAS + "so&sp=l", nil, resource},
		{"one table", "GET", "/contoso/Tables('Races')", accountSAS + "c&sp=r", nil, ""},
		{"a new table by creating", "POST", "/contoso/Tables", accountSAS + `c&sp=c|{"TableName":"Rowers"}`, nil, ""},
		{"a new table by writing", "POST", "/contoso/Tables", accountSAS + `c&sp=w|{"TableName":"Rowers"}`, nil, ""},
		{"a new table without either", "POST", "/contoso/Tables", accountSAS + `c&sp=rdlau|{"TableName":"Rowers"}`, nil, permission},
		{"no table any more", "DELETE", "/contoso/Tables('Races')", accountSAS + "c&sp=d", nil, ""},
		{"no table any more, by who may write", "DELETE", "/contoso/Tables('Races')", accountSAS + "c&sp=rwlacu", nil, permission},
		{"a query by who may have tables", "GET", races, accountSAS + "c&sp=r", nil, ""},
		{"a query by who may have entities", "GET", races, accountSAS + "o&sp=r", nil, ""},
		{"a query by who may have the service", "GET", races, accountSAS + "s&sp=r", nil, resource},
		{"an entity by who may have tables", "GET", runner, accountSAS + "sc&sp=r", nil, resource},
		{"an account's upsert", "PUT", runner, accountSAS + "o&sp=au|{}", nil, ""},
		{"an account's transaction", "POST", "/contoso/$batch", batch(accountSAS + "o&sp=a"), []string{batchType}, ""},
		{"an account's transaction by who may have tables", "POST", "/contoso/$batch", batch(accountSAS + "c&sp=a"), []string{batchType}, resource},
		{"the service's properties", "GET", "/contoso/?restype=service&comp=properties", accountSAS + "s&sp=r", nil, ""},
		{"the service's properties, set", "PUT", "/contoso/?restype=service&comp=properties", accountSAS + "s&sp=w|<StorageServiceProperties/>", nil, ""},
		{"the service's properties, set by who may read", "PUT", "/contoso/?restype=service&comp=properties", accountSAS + "s&sp=r|<StorageServiceProperties/>", nil, permission},
		{"the service's statistics", "GET", "/contoso-secondary/?restype=service&comp=stats", accountSAS + "s&sp=r", nil, ""},
		{"access policies", "GET", races + "?comp=acl", accountSAS + "sco&sp=rwdlacu", nil, never},
	} {
		s := withTable(t)
		s.Want(t, 201, "POST", "/contoso/Tables", `{"TableName":"Boats"}`)
		s.insert(t, "full", "1234", 1)
		options, body, _ := strings.Cut(row.options, "|")
		status, header, text := s.bearer(row.method, row.target, options, body, row.headers...)
		assert.Equalf(t, row.code, header.Get("x-ms-error-code"),
			"%s: %s %s with %s = %d %s", row.name, row.method, row.target, options, status, text)
		assert.Equalf(t, row.code != "", status == 403 || status == 202 && row.code != "" && strings.Contains(text, "HTTP/1.1 403 "),
			"%s: %s %s = %d %s", row.name, row.method, row.target, status, text)
		assert.Equalf(t, "2019-02-02", header.Get("x-ms-version"), "%s: x-ms-version", row.name)
	}
}

// When, from where and how a signature is of use.
func TestSignaturesHaveLimits(t *testing.T) {
	const plain = "tn=Races&sv=2019-02-02&sp=r"
	const failed = "AuthenticationFailed"
	for _, row := range []struct {
		name, options, from string
		tls                 bool
		code                string
	}{
		{"from now on", plain + "&st=2026-11-20T11:48:19Z&se=2026-11-20T11:48:20Z", "", false, ""},
		{"from the next second on", plain + "&st=2026-11-20T11:48:20Z&se=2030-01-01", "", false, failed},
		{"until now", plain + "&se=2026-11-20T11:48:19Z", "", false, failed},
		{"over https alone, over http", plain + "&se=2030-01-01&spr=https", "", false, "AuthorizationProtocolMismatch"},
		{"over https alone, over https", plain + "&se=2030-01-01&spr=https", "", true, ""},
		{"from an address", plain + "&se=2030-01-01&sip=10.0.0.7", "10.0.0.7:1234", false, ""},
		{"from another address", plain + "&se=2030-01-01&sip=10.0.0.7", "10.0.0.8:1234", false, "AuthorizationSourceIPMismatch"},
		{"from nowhere", plain + "&se=2030-01-01&sip=10.0.0.7", "@", false, "AuthorizationSourceIPMismatch"},
		{"for another service", "ss=bqf&srt=sco&sp=r&sv=2019-02-02&se=2030-01-01", "", false, "AuthorizationServiceMismatch"},
		{"with a start that is no date", plain + "&st=soon&se=2030-01-01", "", false, failed},
		{"with an end that is no date", plain + "&se=soon", "", false, failed},
		{"over a protocol that is none", plain + "&se=2030-01-01&spr=ftp", "", false, failed},
		{"from an address that is none", plain + "&se=2030-01-01&sip=here", "", false, failed},
		{"of a version too old", "tn=Races&sv=2014-02-14&sp=r&se=2030-01-01", "", false, failed},
		{"of a policy that is not there", "tn=Races&sv=2019-02-02&si=nobody", "", false, failed},
	} {
		s := withTable(t)
		r := resttest.NewRequest("GET", signed(races+"?", row.options), "", "Authorization:", "X-Ms-Date:", "From: "+row.from)
		if row.tls {
			r.TLS = &tls.ConnectionState{}
		}
		w := s.Send(r)
		assert.Equalf(t, row.code, w.Header().Get("x-ms-error-code"), "%s: %s = %s", row.name, row.options, w.Body)
		assert.Equal(t, map[bool]int{false: 403, true: 200}[row.code == ""], w.Code, row.name)
	}
	s := withTable(t)
	target := signed(races+"?", plain+"&se=2030-01-01")
	for name, forged := range map[string]string{
		"another table": strings.Replace(target, "tn=Races", "tn=Boats", 1), "more rights": strings.Replace(target, "sp=r", "sp=raud", 1),
		"a later end": strings.Replace(target, "2030", "2031", 1), "another account": strings.Replace(target, "contoso", "fabrikam", 1),
		"a range beside it": target + "&spk=a", "a policy beside it": target + "&si=a",
	} {
		w := s.Do("GET", forged, "", "Authorization:")
		assert.Truef(t, w.Code == 403 && resttest.CodeOf(t, w) == failed,
			"%s: %s = %d %s; want 403 %s", name, forged, w.Code, w.Body, failed)
	}
	s.Clock.Set(100 * 365 * 24 * time.Hour)
	assert.Equal(t, 403, s.Do("GET", target, "", "Authorization:").Code, "a hundred years later: GET")
}

// The range is of pairs of keys, and both ends are in it. A query shows no more
// than that, and does not say so; what is not a query is refused.
func TestSignaturesKeepToTheirKeys(t *testing.T) {
	s := withTable(t)
	for i := range 25 {
		s.insert(t, fmt.Sprint(i/5), fmt.Sprint(i%5), i)
	}
	for _, row := range []struct {
		name, keys, filter string
		within             func(pk, rk int) bool
	}{
		{"no range", "", "", func(int, int) bool { return true }},
		{"from a pair to a pair", "&spk=1&srk=1&epk=3&erk=3", "", func(pk, rk int) bool {
			return (pk > 1 || pk == 1 && rk >= 1) && (pk < 3 || pk == 3 && rk <= 3)
		}},
		{"from a pair to a pair, and a filter", "&spk=1&srk=1&epk=3&erk=3", "PartitionKey gt '1' and PartitionKey le '4' and RowKey gt '1' and RowKey le '4'",
			func(pk, rk int) bool { return pk > 1 && pk <= 3 && rk > 1 && (pk < 3 || rk <= 3) }},
		{"partitions", "&spk=2&epk=3", "", func(pk, _ int) bool { return pk == 2 || pk == 3 }},
		{"a start", "&spk=3&srk=4", "", func(pk, rk int) bool { return pk == 4 || pk == 3 && rk == 4 }},
		{"an end", "&epk=0&erk=1", "", func(pk, rk int) bool { return pk == 0 && rk <= 1 }},
		{"an end, empty options beside it", "&spk=&srk=&epk=0&erk=", "", func(pk, _ int) bool { return pk == 0 }},
		{"a single row", "&spk=2&srk=2&epk=2&erk=2", "Number ge 0", func(pk, rk int) bool { return pk == 2 && rk == 2 }},
		{"a filter beside the range", "&spk=1&epk=1", "PartitionKey eq '2'", func(int, int) bool { return false }},
		{"the wrong way round", "&spk=3&epk=1", "", func(int, int) bool { return false }},
		{"a filter on a property", "&spk=1&srk=3&epk=2", "Number lt 9", func(pk, rk int) bool { n := 5*pk + rk; return n == 8 }},
	} {
		var want, got []string
		for i := range 25 {
			if row.within(i/5, i%5) {
				want = append(want, fmt.Sprintf("%d,%d", i/5, i%5))
			}
		}
		for _, top := range []string{"", "&$top=2"} {
			got = nil
			next := ""
			for {
				status, header, text := s.bearer("GET", races+"?$filter="+url.QueryEscape(row.filter)+top+next, tableSAS+"r"+row.keys, "")
				require.Equalf(t, 200, status, "%s: %s", row.name, text)
				for _, found := range decodeRows(t, []byte(text)) {
					got = append(got, found.PartitionKey+","+found.RowKey)
				}
				if header.Get("x-ms-continuation-NextPartitionKey") == "" {
					break
				}
				next = "&NextPartitionKey=" + header.Get("x-ms-continuation-NextPartitionKey") + "&NextRowKey=" + header.Get("x-ms-continuation-NextRowKey")
			}
			assert.Truef(t, slices.Equal(got, want), "%s%s: %v; want %v", row.name, top, got, want)
		}
		if row.filter != "" {
			continue
		}
		// Point operations agree with the query on what is within.
		for i := range 25 {
			key := fmt.Sprintf("%s(PartitionKey='%d',RowKey='%d')", races, i/5, i%5)
			for _, method := range []string{"GET", "PUT", "PATCH"} {
				status, _, text := s.bearer(method, key, tableSAS+"raud"+row.keys, fmt.Sprintf(`{"Number":%d}`, i))
				assert.Truef(t, (status == 403) == !row.within(i/5, i%5) && (status == 403 || status < 300),
					"%s: %s %s = %d %s; want 403 outside of the range alone", row.name, method, key, status, text)
			}
		}
	}
	// Bodies tell keys as well.
	const keys = "&spk=1&srk=1&epk=3&erk=3"
	for _, row := range []struct {
		name, target, body, want string
		headers                  []string
	}{
		{"an insert within", races, `{"PartitionKey":"2","RowKey":"9"}`, "", nil},
		{"an insert outside", races, `{"PartitionKey":"3","RowKey":"9"}`, "AuthorizationFailure", nil},
		{"a transaction within", "/contoso/$batch", insertBatch("2", "5", "6"), "", []string{batchType}},
		{"a transaction half outside", "/contoso/$batch", insertBatch("3", "1a", "4a"), "AuthorizationFailure", []string{batchType}},
	} {
		before := s.Engine.Counts()
		status, header, text := s.bearer("POST", row.target, tableSAS+"raud"+keys, row.body, row.headers...)
		assert.Equalf(t, row.want, header.Get("x-ms-error-code"), "%s: POST = %d %s", row.name, status, text)
		assert.Truef(t, row.headers == nil || row.want == "" || strings.Contains(text, `"value":"1:`),
			"%s: POST = %s; want the index of the second", row.name, text)
		assert.Equalf(t, row.want == "", s.Engine.Counts().Requests > before.Requests, "%s: the engine was asked", row.name)
	}
}

// A query that a signature cuts reads what is within, and counts that.
func TestSignaturesCutWhatIsRead(t *testing.T) {
	s := withTable(t)
	for i := range 10 {
		s.insert(t, "full", fmt.Sprint(i), i)
	}
	_, header, _ := s.bearer("GET", races+"?$filter=Number%20eq%204", tableSAS+"r&spk=full&srk=3&epk=full&erk=5", "", "X-Loadgen-Ask: counted")
	assert.Equal(t, "3", header.Get("X-Loadgen-Counted"), "a query cut to 3 entities of 10 counted")
}
