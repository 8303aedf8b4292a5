// SPDX-License-Identifier: Apache-2.0
#include "report/server.hpp"

#include <freeplay/errors.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string>

// One thread: a page takes a fraction of a second, and the HDF5 library is used from one thread
// only. Slow clients cost no thread, only one of the places below, and those for a limited time.
namespace freeplay::report {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::seconds kPatience{15};    // for a request to arrive, for an answer to leave
constexpr std::uint32_t kLongestHeader = 16384;  // bytes
constexpr std::size_t kDrained = 1 << 20;        // bytes of a refused request that are read
constexpr int kPlaces = 64;  // connections at a time; others wait in the system's queue

// "localhost:8080", "127.0.0.1", "[::1]:80"
bool names_this_machine(std::string_view host) {
  const auto colon = host.rfind(':');
  const auto bracket = host.rfind(']');
  if (colon != host.npos && (bracket == host.npos || colon > bracket)) host = host.substr(0, colon);
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, const Folder& folder, std::function<void()> done)
      : stream_(std::move(socket)), folder_(folder), done_(std::move(done)) {}
  ~Session() { done_(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void read() {
    parser_.emplace();
    parser_->header_limit(kLongestHeader);
    stream_.expires_after(kPatience);
    http::async_read_header(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](error_code error, std::size_t) { self->on_read(error); });
  }

 private:
  void on_read(error_code error) {
    if (error == http::error::header_limit) return answer({431, "text/plain", "too long\n"}, true);
    if (error == http::error::end_of_stream || error == beast::error::timeout) return;
    if (error) {
      // Whoever speaks something else than HTTP gets one answer; who is gone gets none.
      if (error.category() == http::make_error_code(http::error::bad_target).category())
        answer({400, "text/plain", "bad request\n"}, true);
      return;
    }
    const auto& request = parser_->get();
    const auto method = request.method();
    if (method != http::verb::get && method != http::verb::head)
      return answer({405, "text/plain", "only GET and HEAD\n"}, true);
    const auto host = request[http::field::host];
    if (!names_this_machine({host.data(), host.size()}))
      return answer({421, "text/plain", "this server answers to localhost only\n"}, true);
    // A body nobody asked for is not read; the connection ends instead.
    const bool has_body = request.find(http::field::content_length) != request.end() ||
                          request.find(http::field::transfer_encoding) != request.end();
    const auto target = request.target();
    answer(answer_get(folder_, {target.data(), target.size()}), has_body || !request.keep_alive());
  }

  void answer(Answer what, bool close) {
    const bool head_only = parser_->is_header_done() && parser_->get().method() == http::verb::head;
    response_ = {};
    response_.result(static_cast<unsigned>(what.status));
    response_.set(http::field::server, "freeplay");
    response_.set(http::field::content_type, what.type);
    response_.set(http::field::cache_control, "no-store");
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set("Referrer-Policy", "no-referrer");
    response_.set("Cross-Origin-Resource-Policy", "same-origin");
    response_.set(
        "Content-Security-Policy",
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
        "img-src data: blob:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'");
    if (what.status == 405) response_.set(http::field::allow, "GET, HEAD");
    response_.keep_alive(!close);
    response_.content_length(what.body.size());
    if (!head_only) response_.body() = std::move(what.body);
    stream_.expires_after(kPatience);
    serializer_.emplace(response_);
    const auto done = [self = shared_from_this(), close](error_code error, std::size_t) {
      if (error) return;
      if (!close) return self->read();
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, error);
      self->drain(kDrained);
    };
    if (head_only)
      http::async_write_header(stream_, *serializer_, done);
    else
      http::async_write(stream_, *serializer_, done);
  }

  /// What the other side is still sending is read and dropped: closing on unread bytes resets the
  /// connection, and the answer may be lost with it.
  void drain(std::size_t left) {
    stream_.async_read_some(asio::buffer(dropped_),
                            [self = shared_from_this(), left](error_code error, std::size_t count) {
                              if (!error && count < left) self->drain(left - count);
                            });
  }

  beast::tcp_stream stream_;
  const Folder& folder_;
  std::function<void()> done_;
  beast::flat_buffer buffer_{2 * kLongestHeader};
  std::optional<http::request_parser<http::empty_body>> parser_;
  http::response<http::string_body> response_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
  std::array<char, 4096> dropped_{};
};

class Server {
 public:
  Server(asio::io_context& context, const Folder& folder, int port)
      : acceptor_(context), retry_(context), folder_(folder) {
    const tcp::endpoint place(asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port));
    error_code error;
    acceptor_.open(place.protocol());
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    acceptor_.bind(place, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error)
      throw IoError("cannot listen on port " + std::to_string(port) + ": " + error.message() +
                    "; --port 0 takes any free one");
  }
  [[nodiscard]] int port() const { return acceptor_.local_endpoint().port(); }
  void stop() {
    stopped_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    retry_.cancel();
  }

  void accept() {
    if (stopped_ || waiting_ || taken_ >= kPlaces) return;
    waiting_ = true;
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      waiting_ = false;
      if (stopped_) return;
      if (error) {
        // Out of descriptors, most likely: others will be given back.
        retry_.expires_after(std::chrono::milliseconds(100));
        retry_.async_wait([this](error_code) { accept(); });
        return;
      }
      ++taken_;
      std::make_shared<Session>(
          std::move(socket), folder_,
          [this, alive = std::weak_ptr<bool>(alive_)] {
            if (alive.expired())
              return;  // the last sessions end with the context, after the server
            --taken_;
            accept();
          })
          ->read();
      accept();
    });
  }

 private:
  tcp::acceptor acceptor_;
  asio::steady_timer retry_;
  const Folder& folder_;
  int taken_ = 0;
  bool waiting_ = false, stopped_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace

void serve(const Folder& folder, int port, const std::function<void(int port)>& ready) {
  asio::io_context context(1);
  Server server(context, folder, port);
  asio::signal_set signals(context, SIGINT, SIGTERM);
  signals.async_wait([&](error_code, int) {
    server.stop();
    context.stop();
  });
  ready(server.port());
  server.accept();
  context.run();
}

}  // namespace freeplay::report
