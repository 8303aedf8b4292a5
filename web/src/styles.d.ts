// SPDX-License-Identifier: Apache-2.0
// esbuild collects imported style sheets into one file.
declare module "*.css";
