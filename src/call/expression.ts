import { headerView } from './http/headerView.ts'

/** A compiled expression, such as `jmespath('body.orderId')` of `lineclear/jmespath`: applied to the first argument. */
export interface Expression {
  readonly expression: string
  select(input: unknown): unknown
}

/** An object, not a function: as a function it would stop TypeScript from inferring the arguments of the other functions. */
export function isExpression(selector: unknown): selector is Expression {
  return typeof selector === 'object' && selector !== null && 'select' in selector
}

/** What an option such as `key` selects from the arguments of a call. */
export function applySelector<Args extends readonly unknown[], T>(
  selector: ((...args: Args) => T) | Expression,
  args: Args,
): unknown {
  return isExpression(selector) ? selector.select(headerView(args[0])) : selector(...args)
}
