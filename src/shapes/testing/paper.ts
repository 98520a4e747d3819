/** Specifications as the paper prints them. */
export const FIGURE_2 = `qdtree FIELD 9 EDGE 5;
/*# total fields and # pointer fields */
qdtree X; ..(c1)
X.ISROOT == FALSE => X.INDEGREE == 1;

qdtree X; qdtree Y; ..(c2)
X -> Y => Y /-> X;

qdtree X; qdtree Y; ..(c3)
X-> Y => X.OUTDEGREE == 4;
`;

export const EXAMPLE_4 = `- struct btree{ int count; int key[2]; struct btree * child[3];
               btree FIELD 6 EDGE 3;
- struct avltree{ int val; struct avltree * right, * left;
                 avltree FIELD 3 EDGE 2;
`;

export const EXAMPLE_5_AVL = `avltree.HEIGHT; avltree X;
X.ISLEAF == true ⇒ X.HEIGHT = 0 ||
X.HEIGHT = (X[2].HEIGHT ≥ X[3].HEIGHT) ?
X[2].HEIGHT+1 : X[3].HEIGHT+1;
`;

export const EXAMPLE_5_RED_BLACK = `rbtree.BHEIGHT; rbtree X;
X.ISLEAF == true ⇒ X.BHEIGHT = 0 ||
X.BHEIGHT = (X[2].(1) != BLACK) ?
X[2].BHEIGHT : X[2].BHEIGHT+1;
`;

export const EXAMPLE_6 = `avltree X;
(X[2]).HEIGHT - (X[3]).HEIGHT ≤ 1 and
(X[2]).HEIGHT - (X[3]).HEIGHT ≥ -1;
`;

export const FIGURE_6 = `btree FIELD 6 EDGE 3;
– Data structure is a tree
1. btree X; btree Y; X.ISROOT == FALSE ⇒ X.INDEGREE == 1;
2. btree X; btree Y; X → Y ⇒ Y ↛ X;
– Internal nodes have 2 or 3 children
3. btree X; btree Y; X → Y ⇒ 2 ≤ X.OUTDEGREE;
4. btree X; btree Y; X → Y ⇒ X.OUTDEGREE ≤ 3;
– Number of children is 1 + number of stored keys
5. btree X; X.OUTDEGREE == X.[1] + 1;
`;

export const EXAMPLE_7 = `ARRAY shard;
shard X;
for I in 0 to 8, X[I*4 + 1] < X[(I+1)*4 + 1];
`;

export const EXAMPLE_8 = `– struct node{ int value; struct node * next;}
node FIELD 2 EDGE 1;
node X; node Y;
X[2] ≠ NULL ⇒ (X[2]) == Y;
`;
