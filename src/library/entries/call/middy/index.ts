export {
  idempotency,
  type IdempotencyOptions,
  type Middleware,
  type MiddlewareRequest,
} from './middleware.ts'
export { jmespath, type JmespathLibrary } from './jmespath.ts'
export type { Expression } from '../readKey.ts'
