# The program, the certificates that it trusts, and nothing else: no shell, no package
# manager, and a user who owns no more than the folder that runs are kept in.
#
#     docker build -t loadgen .
#     docker run --rm loadgen
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o /root-of-image/loadgen ./cmd/loadgen && mkdir -p /root-of-image/runs /root-of-image/tmp

FROM scratch
# A service is known by the certificates of the builder's system, which are renewed with it.
# What is built into a program would be those of the day on which it was built, everywhere.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build --chown=65532:65532 /root-of-image/runs /var/loadgen
COPY --from=build --chown=65532:65532 /root-of-image/tmp /tmp
COPY --from=build /root-of-image/loadgen /usr/local/bin/loadgen
USER 65532:65532
WORKDIR /var/loadgen
ENTRYPOINT ["/usr/local/bin/loadgen"]
CMD ["stress"]
