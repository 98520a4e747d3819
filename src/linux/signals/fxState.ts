/** Signal frames hold the x87 and SSE state as FXSAVE stores it. */
export { FX_SIZE, resetFx, restoreFx, saveFx } from '../../machine/fxState.js';
