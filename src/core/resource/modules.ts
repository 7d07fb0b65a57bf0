export { type Module, modules } from '../../../generated/modules.ts';
