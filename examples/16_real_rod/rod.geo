// A connecting rod of 120 mm, for gmsh:   gmsh -nt 1 -3 rod.geo -o mesh.inp -format inp
// Lengths in mm. Big end at the origin, small end on the x axis, pins along z.
SetFactory("OpenCASCADE");
DefineConstant[ h = 6, nc = 20 ];   // edge of an element; elements round a circle

L = 120;                            // between the bores
R1 = 20; Q1 = 27; WB = 20;          // big end: bore, outside, width
R2 = 9;  Q2 = 14; WS = 18;          // small end
W1 = 20; W2 = 14; TH = 9;           // shank: height at either end, thickness
e = 0.01;

Cylinder(1) = {0, 0, -WB/2, 0, 0, WB, Q1};
Cylinder(2) = {L, 0, -WS/2, 0, 0, WS, Q2};
Point(101) = {0, -W1/2, -TH/2}; Point(102) = {L, -W2/2, -TH/2};
Point(103) = {L,  W2/2, -TH/2}; Point(104) = {0,  W1/2, -TH/2};
Line(101) = {101, 102}; Line(102) = {102, 103}; Line(103) = {103, 104}; Line(104) = {104, 101};
Curve Loop(101) = {101, 102, 103, 104};
Plane Surface(101) = {101};
s[] = Extrude {0, 0, TH} { Surface{101}; };
BooleanUnion(10) = { Volume{1}; Delete; }{ Volume{2}; Volume{s[1]}; Delete; };
Cylinder(11) = {0, 0, -WB, 0, 0, 2*WB, R1};
Cylinder(12) = {L, 0, -WS, 0, 0, 2*WS, R2};
BooleanDifference(20) = { Volume{10}; Delete; }{ Volume{11}; Volume{12}; Delete; };

big[] = Surface In BoundingBox {-R1-e, -R1-e, -WB/2-e, R1+e, R1+e, WB/2+e};
small[] = Surface In BoundingBox {L-R2-e, -R2-e, -WS/2-e, L+R2+e, R2+e, WS/2+e};
Physical Volume("ROD") = {20};
Physical Surface("BORE_BIG") = big[];
Physical Surface("BORE_SMALL") = small[];

Mesh.MeshSizeMax = h;
Mesh.MeshSizeMin = h/3;
Mesh.MeshSizeFromCurvature = nc;
Mesh.ElementOrder = 2;
Mesh.HighOrderOptimize = 2;
Mesh.SaveAll = 0;
Mesh.SaveGroupsOfNodes = 1;         // node sets of the same names
