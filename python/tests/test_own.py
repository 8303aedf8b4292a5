# SPDX-License-Identifier: Apache-2.0
"""Laws of a program: plain Python, function pointers, and plug-ins of a file."""

import ctypes
import math
import pickle
import re
import subprocess
import threading

import numpy as np
import pytest

import freeplay as fp
from conftest import ROOT

CRANK = "examples/07_clearance/slider_crank.toml"
K, B = 6.61e10, 0.75 * (1 - 0.9**2)
PARAMETERS = {"K": "N/m^1.5", "b": ("1", B)}


def power(d, v, v0, K, b):
    return K * d * math.sqrt(d) * (1 + b * v / v0)


def crank(**more):
    return fp.load(CRANK, set={"simulation.duration": "2 ms", "simulation.tolerance": 1e-9, **more})


def with_law(table, **more):
    m = crank(**more)
    m.joints.pin.clearance.contact = table
    return m


def same(one, other, rel=1e-7):
    assert one.summary["contacts"] == other.summary["contacts"] > 2
    assert one.impacts["start"] == pytest.approx(other.impacts["start"], rel=rel)
    assert one.impacts["peak_force"] == pytest.approx(other.impacts["peak_force"], rel=1e-5)


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    """The plug-in of the example, and its model beside it."""
    folder = tmp_path_factory.mktemp("plugin")
    example = ROOT / "examples" / "19_compiled_laws"
    (folder / "crank.toml").write_text((example / "slider_crank.toml").read_text())
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{ROOT / 'include'}", example / "laws.c", "-o", folder / "laws.so", "-lm"],
                   check=True)
    return folder


# ---- plain Python

def test_a_python_law_is_the_law_of_the_catalogue():
    law = fp.laws.own("contact", power, parameters=PARAMETERS)
    assert law(K=K) == {"law": "plugin", "plugin": "@power", "K": K}
    r = with_law(law(K=f"{K} N/m^1.5")).run()
    same(r, crank().run())
    assert law.calls > 1000 and 0 < law.seconds and 0 < r.law_time["power"] < 1
    assert re.search(r"\d+% of the time in law 'power'", repr(r))
    assert crank().run().law_time == {}


def test_exact_slopes_and_the_implicit_method():
    @fp.laws.own("contact", parameters=PARAMETERS, exact=True)
    def slopes(d, v, v0, K, b):
        f = K * d * math.sqrt(d)
        return f * (1 + b * v / v0), 1.5 * f / d * (1 + b * v / v0), f * b / v0
    for method in ("radau", "dop853"):
        more = {"simulation.integrator": method}
        same(with_law(slopes(K=K), **more).run(), crank(**more).run(), rel=1e-6)


def test_friction_and_wear_in_python():
    @fp.laws.own("friction", parameters={"mu": "1", "v1": "m/s"})
    def slip(v, mu, v1):
        return mu * math.tanh(v / v1)

    @fp.laws.own("wear")
    def worn(k, p, v):
        return k * p * v
    table = {"joints.pin.clearance.bearing_length": "20 mm", "joints.pin.clearance.material": "steel"}
    twin = crank(**table)
    twin.joints.pin.clearance.friction = {"law": "tanh", "kinetic": 0.1, "v1": 0.01}
    twin.joints.pin.clearance.wear = {"law": "archard", "outer": 1e-14, "inner": 1e-14}
    m = crank(**table)
    m.joints.pin.clearance.friction = slip(mu=0.1, v1="10 mm/s")
    m.joints.pin.clearance.wear = {**worn(), "outer": 1e-14, "inner": 1e-14}
    one, two = m.run(), twin.run()
    same(one, two)
    volume = "joints/pin/worn_volume_outer"
    assert one[volume][-1] == pytest.approx(two[volume][-1], rel=1e-6) and one[volume][-1] > 0


def test_a_law_can_be_asked_for_arrays():
    law = fp.laws.own("contact", power, name="asked", parameters=PARAMETERS)
    twin = fp.laws.contact["lankarani-nikravesh"](stiffness=K, restitution=0.9)
    own = fp.laws.contact["plugin"](**{k: v for k, v in law(K=K).items() if k != "law"})
    depth = np.geomspace(1e-8, 1e-4, 30)
    assert own.force(depth, 0.1, 0.2) == pytest.approx(twin.force(depth, 0.1, 0.2), rel=1e-14)


def test_what_a_law_raises_comes_back():
    class Enough(Exception):
        pass

    @fp.laws.own("contact", parameters={"K": "N/m^1.5"})
    def moody(d, v0, K):
        if 0.31 < v0 < 4.99 and d > 1e-5 and enough:
            raise Enough("no more")
        return K * d**1.5
    enough = False
    m = with_law(moody(K=K))
    m.check()
    enough = True
    for call in (m.run, lambda: m.sweep({"joints.pin.clearance.radial": [1e-4, 2e-4]}, ["contacts"]),
                 lambda: fp.Simulator(m).advance(2e-3)):
        with pytest.raises(Enough, match="no more"):
            call()
    enough = False
    assert m.run().ok


def test_a_law_that_is_no_law_is_refused():
    for function, says in ((lambda d: math.nan, "returned no finite number at d ="), (lambda d: -1e8 * d, "not positive at any depth"),
                           (lambda d, v, v0: 1e8 * d * (1 - 0.5 * v / v0), "makes energy")):
        law = fp.laws.own("contact", function, name="odd")
        with pytest.raises(fp.ModelError, match=says):
            with_law(law()).check()
    with pytest.raises(ZeroDivisionError):
        with_law(fp.laws.own("contact", lambda d: 1 / 0, name="odd")()).check()
    with pytest.raises(TypeError):
        with_law(fp.laws.own("contact", lambda d: "x", name="odd")()).check()
    with pytest.raises(fp.ModelError, match="this program has no law '@nobody'"):
        with_law({"law": "plugin", "plugin": "@nobody"}).check()
    law = fp.laws.own("contact", power, parameters=PARAMETERS)
    with pytest.raises(fp.ModelError, match="'K' is missing"):
        with_law(law()).check()
    with pytest.raises(fp.ModelError, match="in N/m"):
        with_law(law(K="1 N/m")).check()
    with pytest.raises(fp.ModelError, match="no parameter 'c'"):
        with_law(law(K=K, c=1)).check()


@pytest.mark.parametrize("arguments, error", [
    (("contact", None, 3), TypeError), (("contact", 0), ValueError), (("contact", -1), ValueError), (("contact", True), TypeError),
    (("contact", "text"), TypeError), (("film", power), ValueError), (("contact", lambda d: d), ValueError),
    (("contact", 2**64), ValueError), (("contact", [1]), TypeError)])
def test_what_is_no_law_at_all(arguments, error):
    with pytest.raises(error):
        fp.laws.own(*arguments)


def test_arguments_and_names():
    with pytest.raises(TypeError, match="knows no 'vo'; did you mean 'v'"):
        fp.laws.own("contact", lambda d, vo: d, name="a")
    with pytest.raises(TypeError, match="plain arguments"):
        fp.laws.own("contact", lambda *d: d, name="a")
    for parameters, says in (({"law": "1"}, "key 'law' already"), ({"a b": "1"}, "no name of letters"), ({"K": ("1", "x")}, "could not convert")):
        with pytest.raises(ValueError, match=says):
            fp.laws.own("contact", lambda d: d, name="a", parameters=parameters)
    law = fp.laws.own("contact", lambda d: d, name="a", parameters={"K": "widgets"})
    with pytest.raises(fp.ModelError, match="the unit 'widgets', which is none"):
        with_law(law(K=1)).check()


def test_threads_and_workers_ask_one_at_a_time():
    law = fp.laws.own("contact", power, parameters=PARAMETERS)
    m = with_law(law(K=K))
    radial = "joints.pin.clearance.radial"
    values = [1e-4, 2e-4, 3e-4, 4e-4]
    together = m.sweep({radial: values}, ["contacts"], workers=2)["contacts"].tolist()
    assert together == [m.run(set={radial: v}).summary["contacts"] for v in values]
    results = []
    threads = [threading.Thread(target=lambda: results.append(m.run().time)) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(results) == 3 and all(np.array_equal(results[0], r) for r in results)


def test_a_law_may_be_replaced_and_lives_as_long_as_it_is_needed():
    m = with_law(fp.laws.own("contact", power, name="changing", parameters=PARAMETERS)(K=K))
    before = m.run()
    fp.laws.own("contact", lambda d, v, v0, K, b: 2 * power(d, v, v0, K, b), name="changing", parameters=PARAMETERS)
    after = m.copy().run()
    assert before.impacts["peak_force"][0] < 0.9 * after.impacts["peak_force"][0]
    same(after, with_law({"law": "lankarani-nikravesh", "stiffness": 2 * K, "restitution": 0.9}).run(), rel=1e-6)


def test_ctrl_c_is_heard_in_a_law(python):
    done = python("""
import os, signal, threading, time
import freeplay as fp
@fp.laws.own("contact", parameters={"K": "N/m^1.5"})
def slow(d, K):
    return K * d**1.5
m = fp.load("examples/07_clearance/slider_crank.toml", set={"simulation.duration": "50 s"})
m.joints.pin.clearance.contact = slow(K=6.61e10)
m.ready()
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    m.run()
except KeyboardInterrupt as error:
    print(type(error).__name__, error.result is not None and len(error.result.time) > 10, m.interrupted is not None)
""")
    assert done.stdout.split() == ["Interrupted", "True", "True"], done.stderr


# ---- compiled

SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double), ctypes.c_int,
                             ctypes.POINTER(ctypes.c_double), ctypes.c_void_p)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    file = tmp_path_factory.mktemp("c") / "power.c"
    file.write_text("#include <math.h>\nint power(const double *at, const double *p, int slopes, double *out, void *c) {\n"
                    "  out[0] = p[0]*at[0]*sqrt(at[0])*(1 + p[1]*at[1]/at[2]); return 0; }\n")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", file, "-o", file.with_suffix(".so"), "-lm"], check=True)
    return ctypes.CDLL(str(file.with_suffix(".so")))


def test_function_pointers_addresses_and_cfuncs(library):
    pointer = ctypes.cast(library.power, SIGNATURE)
    address = ctypes.cast(library.power, ctypes.c_void_p).value

    class Cfunc:        # as numba makes them
        def __init__(self):
            self.address = address
    expected = crank().run()
    for k, function in enumerate((pointer, library.power, address, Cfunc())):
        law = fp.laws.own("contact", function, name=f"compiled_{k}", parameters=PARAMETERS)
        assert law.compiled and "compiled" in repr(law)
        r = with_law(law(K=K)).run()
        same(r, expected)
        assert r.law_time == {} and law.calls == 0
    with pytest.raises(ValueError, match="null"):
        fp.laws.own("contact", SIGNATURE(), name="a")


def test_a_ctypes_callback_is_asked_too():
    @SIGNATURE
    def force(at, p, slopes, out, context):
        out[0] = power(at[0], at[1], at[2], p[0], p[1])
        return 0
    law = fp.laws.own("contact", force, name="callback", parameters=PARAMETERS)
    same(with_law(law(K=K)).run(), crank().run())


# ---- files

def test_a_file_needs_permission(plugin):
    model = fp.load(plugin / "crank.toml")
    assert not fp._core.plugins_allowed()
    with pytest.raises(fp.ModelError, match=r"'laws.so' is compiled code .* not allowed \(allow it with --allow-plugins \(in Python: freeplay"):
        model.check()
    fp.allow_plugins()
    try:
        r = model.run()
        twin = model.copy()
        twin.joints.pin.clearance.friction = {"law": "expression", "coefficient": "mu*tanh(v/v1)/(1 + load/N0)^(1/3)", "mu": 0.02,
                                              "v1": "1 mm/s", "N0": "1 kN"}
        same(r, twin.run(), rel=1e-6)
        assert pickle.loads(pickle.dumps(model)).run().summary["steps"] == r.summary["steps"]
        table = model.sweep({"joints.pin.clearance.contact.b": [0.0, 0.3]}, ["contacts"], workers=2)
        assert len(table["contacts"]) == 2
        assert "laws.so#line" in model.resolved() or "laws.so" in model.resolved()
        s = fp.Simulator(model)
        s.advance(1e-3)
        assert s.time == 1e-3
        law = fp.laws.contact["plugin"](plugin=str(plugin / "laws.so"), clearance="0.5 mm", composite_modulus="113.7 GPa",
                                        outer_radius="10.5 mm", inner_radius="10 mm", length="20 mm", mass=1)
        johnson = fp.laws.contact["johnson"](restitution=1, composite_modulus="113.7 GPa", outer_radius="10.5 mm",
                                             inner_radius="10 mm", length="20 mm", mass=1)
        depth = np.geomspace(1e-9, 2e-4, 40)
        assert law.force(depth) == pytest.approx(johnson.elastic(depth), rel=1e-12)
    finally:
        fp.allow_plugins(False)
