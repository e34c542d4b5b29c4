package rest_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
)

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
