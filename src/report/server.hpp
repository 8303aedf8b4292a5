// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/folder.hpp"

#include <functional>

namespace freeplay::report {

/// Serves a folder on 127.0.0.1 until SIGINT or SIGTERM. `ready` is told the port once it listens
/// (port 0 takes any free one). Throws IoError when the port is taken.
///
/// GET and HEAD only; requests that do not name this machine as their host are refused, so that a
/// page elsewhere cannot read results through the browser.
///
/// `meanwhile` is called a few times a second.
void serve(const Folder& folder, int port, const std::function<void(int port)>& ready,
           const std::function<void()>& meanwhile = {});

}  // namespace freeplay::report
