// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

// The few linear-algebra names used everywhere. Everything is SI, right-handed, column vectors.
namespace freeplay {

template <class T>
using Vec3T = Eigen::Matrix<T, 3, 1>;
template <class T>
using Mat3T = Eigen::Matrix<T, 3, 3>;
template <class T>
using Vec4T = Eigen::Matrix<T, 4, 1>;

using Vec3 = Vec3T<double>;
using Vec4 = Vec4T<double>;
using Mat3 = Mat3T<double>;
using Vec6 = Eigen::Matrix<double, 6, 1>;
using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;

}  // namespace freeplay
