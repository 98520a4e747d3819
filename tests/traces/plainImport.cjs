/** Loads a module as Node does, not as the test runner does, which would read it in its own way. */
'use strict';
module.exports = (url) => import(url);
