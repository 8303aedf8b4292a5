// SPDX-License-Identifier: Apache-2.0
#include "report/server.hpp"

#include "io/child_work.hpp"
#include <freeplay/errors.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

// One thread that only waits: for requests, for pages, for clients to take them. Reports are made
// by child processes, a few at a time, so that neither a long page nor a damaged file holds up
// others. Slow clients cost one of the places below, and when all are taken, the one that has kept
// us waiting longest makes room.
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
constexpr std::size_t kPlaces = 256;             // connections at a time
constexpr std::size_t kChildren = 4;  // pages in the making; chosen: more than most have cores
constexpr io::ChildLimits kPageLimits{.memory = std::uint64_t{4} << 30, .cpu_seconds = 120};

// "localhost:8080", "127.0.0.1", "[::1]:80"
bool names_this_machine(std::string_view host) {
  const auto colon = host.rfind(':');
  const auto bracket = host.rfind(']');
  if (colon != host.npos && (bracket == host.npos || colon > bracket)) host = host.substr(0, colon);
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

/// A page on its way from the child that makes it.
class Page : public std::enable_shared_from_this<Page> {
 public:
  using Done = std::function<void(Answer)>;
  Page(asio::io_context& context, const std::function<Answer()>& make, Done done)
      : work_([&] { return packed(make()); }, kPageLimits),
        stream_(context, dup(work_.descriptor())),
        done_(std::move(done)) {}

  void read() {
    stream_.async_read_some(asio::buffer(buffer_),
                            [self = shared_from_this()](error_code error, std::size_t count) {
                              self->bytes_.append(self->buffer_.data(), count);
                              if (error) return self->finish();
                              self->read();
                            });
  }

 private:
  static std::string packed(const Answer& a) {
    return std::to_string(a.status) + '\n' + a.type + '\n' + a.body;
  }
  static Answer unpacked(std::string text) {
    const auto status = text.find('\n'), type = text.find('\n', status + 1);
    Answer out{std::stoi(text), text.substr(status + 1, type - status - 1), {}};
    text.erase(0, type + 1);
    out.body = std::move(text);
    return out;
  }
  void finish() {
    Answer out;
    try {
      out = unpacked(work_.answer_in(std::move(bytes_)));
    } catch (const IoError& problem) {
      out = {500, "text/plain; charset=utf-8",
             std::string("this page cannot be made: ") + problem.what() + "\n"};
    }
    done_(std::move(out));
  }

  io::ChildWork work_;
  asio::posix::stream_descriptor stream_;
  Done done_;
  std::string bytes_;
  std::array<char, 65536> buffer_{};
};

/// Makes pages, a few at a time, in the order in which they were asked for.
class Workshop {
 public:
  explicit Workshop(asio::io_context& context) : context_(context) {}
  void order(std::function<Answer()> make, Page::Done done) {
    orders_.push_back({std::move(make), std::move(done)});
    begin();
  }

 private:
  struct Order {
    std::function<Answer()> make;
    Page::Done done;
  };
  void begin() {
    if (at_work_ >= kChildren || orders_.empty()) return;
    const Order order = std::move(orders_.front());
    orders_.pop_front();
    try {
      const auto page = std::make_shared<Page>(context_, order.make, [this, order](Answer answer) {
        --at_work_;
        order.done(std::move(answer));
        begin();
      });
      ++at_work_;
      page->read();
    } catch (const IoError& problem) {
      order.done({503, "text/plain", std::string(problem.what()) + "\n"});
    }
  }
  asio::io_context& context_;
  std::deque<Order> orders_;
  std::size_t at_work_ = 0;
};

class Session;
/// Sessions that wait for the other side, the one that has waited longest first.
using Waiting = std::list<Session*>;

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, const Folder& folder, Workshop& workshop,
          std::shared_ptr<Waiting> waiting)
      : stream_(std::move(socket)),
        folder_(folder),
        workshop_(workshop),
        waiting_(std::move(waiting)),
        place_(waiting_->end()) {}
  ~Session() { stop_waiting(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void drop() {
    error_code ignored;
    stop_waiting();
    stream_.socket().close(ignored);
  }

  void read() {
    wait();
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
    const bool close = has_body || !request.keep_alive();
    // The list looks at heads of files only, and damaged ones are kept off by Hdf5File.
    if (!target.starts_with("/report"))
      return answer(answer_get(folder_, {target.data(), target.size()}), close);
    stop_waiting();
    stream_.expires_never();
    workshop_.order(
        [&folder = folder_, target = std::string(target.data(), target.size())] {
          return answer_get(folder, target);
        },
        [self = shared_from_this(), close](Answer page) { self->answer(std::move(page), close); });
  }

  void wait() {
    stop_waiting();
    place_ = waiting_->insert(waiting_->end(), this);
  }
  void stop_waiting() {
    if (place_ != waiting_->end()) waiting_->erase(place_);
    place_ = waiting_->end();
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
        std::string(folder_.watched() ? "connect-src 'self'; " : "") +
            "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
            "img-src data: blob:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'");
    if (what.status == 405) response_.set(http::field::allow, "GET, HEAD");
    response_.keep_alive(!close);
    response_.content_length(what.body.size());
    if (!head_only) response_.body() = std::move(what.body);
    stream_.expires_after(kPatience);
    wait();
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
  Workshop& workshop_;
  std::shared_ptr<Waiting> waiting_;
  Waiting::iterator place_;
  beast::flat_buffer buffer_{2 * kLongestHeader};
  std::optional<http::request_parser<http::empty_body>> parser_;
  http::response<http::string_body> response_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
  std::array<char, 4096> dropped_{};
};

class Server {
 public:
  Server(asio::io_context& context, const Folder& folder, int port)
      : acceptor_(context), retry_(context), workshop_(context), folder_(folder) {
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
    if (stopped_) return;
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (stopped_) return;
      if (error) {
        // Out of descriptors, most likely: others will be given back.
        retry_.expires_after(std::chrono::milliseconds(100));
        retry_.async_wait([this](error_code) { accept(); });
        return;
      }
      if (waiting_->size() >= kPlaces) waiting_->front()->drop();
      std::make_shared<Session>(std::move(socket), folder_, workshop_, waiting_)->read();
      accept();
    });
  }

 private:
  tcp::acceptor acceptor_;
  asio::steady_timer retry_;
  Workshop workshop_;
  const Folder& folder_;
  bool stopped_ = false;
  // The last sessions end with the context, after the server.
  std::shared_ptr<Waiting> waiting_ = std::make_shared<Waiting>();
};

}  // namespace

void serve(const Folder& folder, int port, const std::function<void(int port)>& ready,
           const std::function<void()>& meanwhile) {
  asio::io_context context(1);
  Server server(context, folder, port);
  asio::signal_set signals(context, SIGINT, SIGTERM);
  struct sigaction hangup {};
  if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
    signals.add(SIGHUP);  // unless `nohup` says otherwise
  signals.async_wait([&](error_code, int) {
    server.stop();
    context.stop();
  });
  asio::steady_timer timer(context);
  const std::function<void(error_code)> again = [&](error_code error) {
    if (error) return;
    meanwhile();
    timer.expires_after(std::chrono::milliseconds(250));
    timer.async_wait(again);
  };
  ready(server.port());
  if (meanwhile) again({});
  server.accept();
  context.run();
}

}  // namespace freeplay::report
