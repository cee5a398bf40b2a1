export {
  idempotency,
  type IdempotencyOptions,
  type Middleware,
  type MiddlewareRequest,
} from './idempotency.ts'
export { jmespath } from './jmespath.ts'
export type { Expression } from '../keys/expression.ts'
