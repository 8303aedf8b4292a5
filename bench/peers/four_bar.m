% SPDX-License-Identifier: Apache-2.0
% The spatial four-bar with play (papers/marques_2017) as the papers compute it: Cartesian coordinates with Euler
% parameters, Lagrange multipliers, Baumgarte's stabilisation (alpha = beta = 5), ode15s. Touch and
% separation end an integration and begin the next, as its documentation advises.
%   octave four_bar.m DURATION FRICTION TOLERANCE
1;

function S = skew(a)
  S = [0 -a(3) a(2); a(3) 0 -a(1); -a(2) a(1) 0];
end

function R = rotation(p)
  p = p / sqrt(p' * p);
  e = p(2:4);
  E = [0 -e(3) e(2); e(3) 0 -e(1); -e(2) e(1) 0];
  R = eye(3) + 2 * p(1) * E + 2 * E * E;
end

% Ball minus socket centre, its rate along the line of centres, and where both are.
function [depth, rate, e, P1, P2, v1, v2] = gap(y, m)
  R2 = rotation(y(11:14));
  R3 = rotation(y(18:21));
  s2 = R2 * m.B2;
  s3 = R3 * m.B3;
  w2 = R2 * y(31:33);
  w3 = R3 * y(37:39);
  P1 = y(8:10) + s2;
  P2 = y(15:17) + s3;
  v1 = y(28:30) + cross(w2, s2);
  v2 = y(34:36) + cross(w3, s3);
  e = P2 - P1;
  distance = norm(e);
  depth = distance - m.play;
  rate = 0;
  if distance > 0
    rate = dot(v2 - v1, e) / distance;
  end
end

function f = derivative(t, y, m)
  Q = zeros(18, 1);
  f = zeros(39, 1);
  M = zeros(18, 18);
  R = cell(3, 1);
  w = zeros(3, 3);
  for b = 1:3
    p = y(7 * b - 3:7 * b);
    W = y(21 + 6 * b - 2:21 + 6 * b);
    R{b} = rotation(p);
    w(:, b) = R{b} * W;
    at = 6 * b - 5;
    M(at:at + 2, at:at + 2) = m.mass(b) * eye(3);
    M(at + 3:at + 5, at + 3:at + 5) = diag(m.inertia(:, b));
    Q(at:at + 2) = [0; 0; -9.81 * m.mass(b)];
    Q(at + 3:at + 5) = -cross(W, m.inertia(:, b) .* W);
    f(7 * b - 6:7 * b - 4) = y(21 + 6 * b - 5:21 + 6 * b - 3);
    f(7 * b - 3:7 * b) = 0.5 * [-p(2:4)' * W; p(1) * W + cross(p(2:4), W)];
  end
  if m.touching
    [depth, rate, e, P1, P2] = gap(y, m);
    if depth > 0
      n = e / norm(e);
      q = P1 + (m.socket + depth / 2) * n;
      a2 = q - y(8:10);
      a3 = q - y(15:17);
      relative = y(34:36) + cross(w(:, 3), a3) - y(28:30) - cross(w(:, 2), a2);
      rate = dot(relative, n);
      load = max(0, m.K * depth^1.5 * (1 + 0.75 * (1 - 0.81) * rate / m.approach));
      F = -load * n;
      if m.friction
        slip = relative - rate * n;
        speed = norm(slip);
        if speed > 0
          F = F - 0.1 * load * tanh(speed / 1e-3) * slip / speed;
        end
      end
      Q(13:15) = Q(13:15) + F;
      Q(16:18) = Q(16:18) + R{3}' * cross(a3, F);
      Q(7:9) = Q(7:9) - F;
      Q(10:12) = Q(10:12) - R{2}' * cross(a2, F);
    end
  end
  % Rows: crank on the ground at O about x, crank to coupler at A, rocker on the ground at C about y.
  J = zeros(13, 18);
  phi = zeros(13, 1);
  gamma = zeros(13, 1);
  [J(1:5, 1:6), phi(1:5), gamma(1:5)] = ...
      pin(y(1:3), R{1}, y(25:27), m.O1, m.O, m.axis1, [0 1 0; 0 0 1]);
  s1 = R{1} * m.A1;
  s2 = R{2} * m.A2;
  phi(6:8) = y(1:3) + s1 - y(8:10) - s2;
  J(6:8, 1:3) = eye(3);
  J(6:8, 4:6) = -R{1} * skew(m.A1);
  J(6:8, 7:9) = -eye(3);
  J(6:8, 10:12) = R{2} * skew(m.A2);
  gamma(6:8) = -cross(w(:, 1), cross(w(:, 1), s1)) + cross(w(:, 2), cross(w(:, 2), s2));
  [J(9:13, 13:18), phi(9:13), gamma(9:13)] = ...
      pin(y(15:17), R{3}, y(37:39), m.C3, m.C, m.axis3, [1 0 0; 0 0 1]);
  v = y(22:39);
  gamma = gamma - 2 * 5 * (J * v) - 25 * phi;
  x = [M J'; J zeros(13)] \ [Q; gamma];
  f(22:39) = x(1:18);
end

% Five rows of a pin on the ground: the point, and the body axis normal to two global ones.
function [J, phi, gamma] = pin(r, R, W, s, at, axis, normals)
  w = R * W;
  a = R * axis;
  phi = [r + R * s - at; normals * a];
  J = [eye(3), -R * skew(s); zeros(2, 3), -normals * R * skew(axis)];
  gamma = [-cross(w, cross(w, R * s)); -normals * cross(w, cross(w, a))];
end

function [value, terminal, direction] = events(t, y, m)
  value = gap(y, m);
  terminal = 1;
  direction = 1 - 2 * m.touching;
end

% ode15s of Octave only interpolates between its steps for an event, a tenth of a millisecond late in
% flight. From the step before it, Runge-Kutta steps whose length is varied until they end on it.
function [t, y] = locate(t, y, longest, m)
  lower = 0;
  upper = longest;
  for k = 1:60
    if k == 1
      x = upper;
    else
      x = x - depth / rate;
      if ! (x > lower && x < upper)
        x = 0.5 * (lower + upper);
      end
    end
    z = y;
    n = 8;
    h = x / n;
    for i = 1:n
      k1 = derivative(t, z, m);
      k2 = derivative(t, z + h / 2 * k1, m);
      k3 = derivative(t, z + h / 2 * k2, m);
      k4 = derivative(t, z + h * k3, m);
      z = z + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    end
    [depth, rate] = gap(z, m);
    if (depth > 0) == m.touching
      lower = x;
    else
      upper = x;
    end
    if upper - lower < 1e-14 || abs(depth) < 1e-16
      break;
    end
  end
  t = t + x;
  y = z;
end

arguments = argv();
duration = str2double(arguments{1});
m.friction = str2double(arguments{2});
tolerance = str2double(arguments{3});
m.O = [0; 0; 0];
A = [0; 0; 0.02];
B = [-0.07492; -0.085; 0.06524];
m.C = [-0.04; -0.085; 0];
r = [0 -0.03746 -0.05746; 0 -0.04250 -0.08500; 0 0.04262 0.03262];
p = [1 0.9186 0.3634; 0 -0.1764 -0.6066; 0 0.06747 -0.6066; 0 -0.3472 0.3634];
m.mass = [0.0196 0.1416 0.0316];
m.inertia = [3.92e-5 1.7743e-3 1.456e-4; 1.97e-5 3.51e-5 2.9e-6; 1.97e-5 1.7743e-3 1.456e-4];
y = zeros(39, 1);
for b = 1:3
  p(:, b) = p(:, b) / norm(p(:, b));
  y(7 * b - 6:7 * b) = [r(:, b); p(:, b)];
end
R1 = rotation(p(:, 1));
R2 = rotation(p(:, 2));
R3 = rotation(p(:, 3));
m.O1 = R1' * (m.O - r(:, 1));
m.A1 = R1' * (A - r(:, 1));
m.A2 = R2' * (A - r(:, 2));
m.B2 = R2' * (B - r(:, 2));
m.B3 = R3' * (B - r(:, 3));
m.C3 = R3' * (m.C - r(:, 3));
m.axis1 = R1' * [1; 0; 0];
m.axis3 = R3' * [0; 1; 0];
m.socket = 10e-3;
m.play = 0.2e-3;
m.K = 4 / (3 * 2 * (1 - 0.09) / 207e9) * sqrt(10e-3 * 9.8e-3 / 19.8e-3);
m.touching = 0;
m.approach = 1;

start = cputime();
t = 0;
while t < duration
  f = @(t, y) derivative(t, y, m);
  options = odeset('RelTol', tolerance, 'AbsTol', tolerance, 'InitialSlope', f(t, y), ...
                   'InitialStep', 1e-7, 'Events', @(t, y) events(t, y, m));
  [ts, ys] = ode15s(f, [t duration], y, options);
  if ts(end) < duration
    before = numel(ts) - 1;
    while before > 1 && (gap(ys(before, :)', m) > 0) != m.touching
      before = before - 1;
    end
    [t, y] = locate(ts(before), ys(before, :)', 1.01 * (ts(end) - ts(before)) + 1e-9, m);
    [depth, rate] = gap(y, m);
    m.touching = 1 - m.touching;
    if m.touching
      m.approach = max(rate, 1e-5);
    end
  else
    t = ts(end);
    y = ys(end, :)';
  end
end
cpu = cputime() - start;
name = 'four-bar frictionless';
if m.friction
  name = 'four-bar friction';
end
printf("row\t%s %g s\tOctave ode15s\t%.0e\t%.15g\t%.6g\t0\n", name, duration, tolerance, y(17), cpu);
