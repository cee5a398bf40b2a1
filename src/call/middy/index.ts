export {
  idempotency,
  type IdempotencyOptions,
  type Middleware,
  type MiddlewareRequest,
} from './middleware.ts'
export type { Expression } from '../readKey.ts'
