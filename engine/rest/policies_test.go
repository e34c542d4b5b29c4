package rest_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/rest"
)

// policies is a document of some SignedIdentifier elements, without its first
// line.
func policies(identifiers ...string) string {
	text := "<SignedIdentifiers>"
	for _, one := range identifiers {
		text += "<SignedIdentifier>" + one + "</SignedIdentifier>"
	}
	return text + "</SignedIdentifiers>"
}

// policy is one identifier with its policy.
func policy(id, members string) string {
	return "<Id>" + id + "</Id><AccessPolicy>" + members + "</AccessPolicy>"
}

const xmlStart = "\ufeff" + `<?xml version="1.0" encoding="utf-8"?>`

// See the golden policies for what is set, read and cleared.
func TestAccessPoliciesGoWithTheirTable(t *testing.T) {
	s := withTable(t)
	const acl = races + "?comp=acl"
	want := func(target, document string) {
		t.Helper()
		assert.Equalf(t, xmlStart+document, s.Want(t, 200, "GET", target, "").Body.String(), "GET %s", target)
	}
	one := policies("<Id>a</Id>")
	s.Want(t, 204, "PUT", acl, one)
	want("/contoso/rACES()?comp=acl", one)
	want("/contoso-secondary/Races?comp=acl", one)
	w := s.Want(t, 200, "HEAD", acl, "")
	assert.Empty(t, w.Body.String(), "HEAD")
	assert.Equal(t, fmt.Sprint(len(xmlStart+one)), w.Header().Get("Content-Length"), "Content-Length of HEAD")
	s.Want(t, 400, "PUT", acl, policies("<Id>c</Id>", "<Id>c</Id>"))
	want(acl, one)
	s.Want(t, 204, "DELETE", "/contoso/Tables('races')", "")
	s.Want(t, 404, "GET", acl, "")
	s.Want(t, 201, "POST", "/contoso/Tables", `{"TableName":"Races"}`)
	want(acl, policies())
}

func TestSignaturesNamePolicies(t *testing.T) {
	s := withTable(t)
	s.Want(t, 204, "PUT", races+"?comp=acl", policies(
		policy("reader", "<Start>2026-11-20T11:48:19Z</Start><Expiry>2026-11-20T11:49:19Z</Expiry><Permission>r</Permission>"),
		policy("later", "<Start>2026-11-20T11:48:20Z</Start><Expiry>2030-01-01</Expiry><Permission>r</Permission>"),
		policy("over", "<Expiry>2026-11-20T11:48:19Z</Expiry><Permission>r</Permission>"),
		policy("timeless", "<Permission>raud</Permission>"),
		"<Id>nothing</Id>"))
	for _, row := range []struct{ name, options, code string }{
		{"a policy that says everything", "si=reader", ""},
		{"a table in another case", "tn=rACES&si=reader", ""},
		{"a policy that begins later", "si=later", "AuthenticationFailed"},
		{"a policy that is over", "si=over", "AuthenticationFailed"},
		{"a policy without an end", "si=timeless", "AuthenticationFailed"},
		{"a policy without an end, and one", "si=timeless&se=2030-01-01", ""},
		{"a policy that says nothing", "si=nothing", "AuthenticationFailed"},
		{"a policy that says nothing, and no permission", "si=nothing&se=2030-01-01", "AuthenticationFailed"},
		{"a policy that says nothing, and everything", "si=nothing&se=2030-01-01&sp=r", ""},
		{"a policy that says nothing, and another permission", "si=nothing&se=2030-01-01&sp=a", "AuthorizationPermissionMismatch"},
		{"an end in both places", "si=reader&se=2026-11-20T11:49:19Z", "AuthenticationFailed"},
		{"a start in both places", "si=reader&st=2026-11-20T11:48:19Z", "AuthenticationFailed"},
		{"a permission in both places", "si=reader&sp=r", "AuthenticationFailed"},
		{"a name in another case", "si=Reader", "AuthenticationFailed"},
		{"a policy of another table", "tn=Boats&si=reader", "AuthenticationFailed"},
	} {
		options := "sv=2019-02-02&" + row.options
		if !strings.Contains(options, "tn=") {
			options += "&tn=Races"
		}
		status, header, text := s.bearer("GET", races, options, "")
		assert.Equalf(t, row.code, header.Get("x-ms-error-code"), "%s: GET with %s = %s", row.name, options, text)
		assert.Equal(t, row.code == "", status == 200, row.name)
	}
	// Whoever has such a URL has it for as long as the policy stands.
	const reader = "sv=2019-02-02&tn=Races&si=reader"
	s.Want(t, 204, "PUT", races+"?comp=acl", policies(policy("reader", "<Expiry>2030-01-01</Expiry><Permission>d</Permission>")))
	_, header, _ := s.bearer("GET", races, reader, "")
	assert.Equal(t, "AuthorizationPermissionMismatch", header.Get("x-ms-error-code"), "a policy altered")
	s.Want(t, 204, "PUT", races+"?comp=acl", "")
	status, _, _ := s.bearer("GET", races, reader, "")
	assert.Equal(t, 403, status, "a policy revoked")
}

const properties = "/contoso/?restype=service&comp=properties"

func corsRule(origins, methods, age, exposed, allowed string) string {
	return "<CorsRule><AllowedOrigins>" + origins + "</AllowedOrigins><AllowedMethods>" + methods + "</AllowedMethods><MaxAgeInSeconds>" +
		age + "</MaxAgeInSeconds><ExposedHeaders>" + exposed + "</ExposedHeaders><AllowedHeaders>" + allowed + "</AllowedHeaders></CorsRule>"
}

func withRules(rules ...string) string {
	return "<StorageServiceProperties><Cors>" + strings.Join(rules, "") + "</Cors></StorageServiceProperties>"
}

// corsHeaders shows those headers of a reply that browsers look at.
func corsHeaders(header http.Header) string {
	text := ""
	for _, name := range []string{"Access-Control-Allow-Origin", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers",
		"Access-Control-Max-Age", "Access-Control-Expose-Headers", "Access-Control-Allow-Credentials", "Vary"} {
		if value := header.Get(name); value != "" {
			text += fmt.Sprintf("%s=%s;", name[strings.LastIndexByte(name, '-')+1:], value)
		}
	}
	return text
}

// Drawn rules and requests, held to the documents' table: who gets the origin, who what
// may be read, and whom a kept copy would mislead.
func TestRepliesFollowTheTableOfOrigins(t *testing.T) {
	s := withTable(t)
	chance := rand.New(rand.NewPCG(24, 3))
	origins, methods := []string{"*", "http://a", "http://b"}, []string{"GET", "PUT", "DELETE"}
	some := func(of []string) []string {
		for {
			if drawn := slices.DeleteFunc(slices.Clone(of), func(string) bool { return chance.IntN(2) == 0 }); len(drawn) > 0 {
				return drawn
			}
		}
	}
	for round := range 300 {
		var rules []string
		var matchesAny, matchesOrigin string // what the first rule exposes that matches, "" for none
		origin, method := append(origins, "")[chance.IntN(4)], methods[chance.IntN(2)]
		if origin == "*" {
			origin = "http://c"
		}
		for i := range chance.IntN(4) {
			of, by, exposed := some(origins), some(methods), fmt.Sprintf("x-%d", i)
			rules = append(rules, corsRule(strings.Join(of, ","), strings.Join(by, ","), "1", exposed, ""))
			if !slices.Contains(by, method) || matchesAny+matchesOrigin != "" {
				continue
			}
			if slices.Contains(of, "*") {
				matchesAny = exposed
			} else if slices.Contains(of, origin) {
				matchesOrigin = exposed
			}
		}
		want, cached := "", method == "GET"
		switch {
		case len(rules) == 0, origin == "" && !cached:
		case matchesAny != "":
			want = "Origin=*;Headers=" + matchesAny + ";"
		case matchesOrigin != "":
			want = "Origin=" + origin + ";Headers=" + matchesOrigin + ";Credentials=true;Vary=Origin;"
		case cached || origin != "":
			want = "Vary=Origin;"
		}
		s.Want(t, 202, "PUT", properties, withRules(rules...))
		w := s.Do(method, map[string]string{"GET": races, "PUT": runner}[method], map[string]string{"PUT": "{}"}[method], "Origin: "+origin)
		if got := corsHeaders(w.Header()); w.Code >= 300 || got != want {
			t.Fatalf("round %d: %s from %q under %v = %d %s; want %s", round, method, origin, rules, w.Code, got, want)
		}
	}
}

// A local server answers to this machine's names, and no page of another machine.
func TestRequireLocal(t *testing.T) {
	guarded := rest.RequireLocal(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	for _, row := range []struct {
		sentence, host string
		origins        []string
		own            bool
	}{
		{"the loopback address", "127.0.0.1", nil, true},
		{"with a port", "127.0.0.1:9464", nil, true},
		{"another loopback address", "127.8.9.10:1", nil, true},
		{"that of the sixth version", "[::1]:9464", nil, true},
		{"without a port", "[::1]", nil, true},
		{"the fourth within the sixth", "[::ffff:127.0.0.1]:80", nil, true},
		{"the name", "localhost", nil, true},
		{"in whatever case, with a dot and a port", "LocalHost.:80", nil, true},
		{"a page's own name", "evil.example", nil, false},
		{"that begins as an address does", "127.0.0.1.evil.example:9464", nil, false},
		{"that ends as the name does", "evil.localhost.example", nil, false},
		{"an address of a network", "192.168.0.7:9464", nil, false},
		{"no name at all", "", nil, false},
		{"a zone", "fe80::1%lo", nil, false},
		{"what is no name", "127.0.0.1:80:80", nil, false},
		{"a name of great length", strings.Repeat("a", 60_000), nil, false},
		{"no page, but a program", "127.0.0.1:9464", nil, true},
		{"a page of this machine", "127.0.0.1:9464", []string{"http://localhost:3000"}, true},
		{"by its address", "127.0.0.1:9464", []string{"https://127.0.0.1"}, true},
		{"by that of the sixth version", "127.0.0.1:9464", []string{"http://[::1]:80"}, true},
		{"a page of the web", "127.0.0.1:9464", []string{"https://evil.example"}, false},
		{"whose name begins as an address does", "127.0.0.1:9464", []string{"http://127.0.0.1.evil.example"}, false},
		{"whose user is named as this machine", "127.0.0.1:9464", []string{"http://localhost@evil.example"}, false},
		{"a page without an origin to tell", "127.0.0.1:9464", []string{"null"}, false},
		{"one of this machine and one of the web", "127.0.0.1:9464", []string{"http://localhost", "https://evil.example"}, false},
		{"an empty one", "127.0.0.1:9464", []string{""}, false},
		{"what is no address", "127.0.0.1:9464", []string{"http://[::1"}, false},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.Host, r.Header["Origin"] = row.host, row.origins
		guarded.ServeHTTP(w, r)
		status := map[bool]int{false: http.StatusForbidden, true: http.StatusTeapot}[row.own]
		assert.Truef(t, w.Code == status && w.Body.Len() <= 300 && strings.Count(w.Body.String(), "\n") <= 1,
			"%s: Host %.60q, Origin %q = %d %.300q; want %d, and at most a line", row.sentence, row.host, row.origins, w.Code, w.Body, status)
	}
}

func TestReachable(t *testing.T) {
	for text, want := range map[string]bool{"127.0.0.1:1": false, "[::1]:1": false, "0.0.0.0:1": true, "[::]:1": true, "10.1.2.3:1": true} {
		assert.Equal(t, want, rest.IsReachable(must(net.ResolveTCPAddr("tcp", text))(t)), text)
	}
}
