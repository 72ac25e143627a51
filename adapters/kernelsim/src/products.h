/* products.h - the products that can be played, one a line:
 * X(id, name, generation, connection, bytes of the DVPP heap, host-UVA window, 1/n small pages) */
X(PRODUCT_910B, "ascend910b", 2, 0, 4 * GIB, true, 8)
X(PRODUCT_910_93, "ascend910_93", 2, 1, 4 * GIB, true, 8)
X(PRODUCT_950, "ascend950", 3, 0, 0, false, 8)
