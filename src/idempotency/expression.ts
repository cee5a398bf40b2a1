/** A compiled expression, such as `jmespath('body.orderId')` of `lineclear/jmespath`: applied to the first argument. */
export interface Expression {
  readonly expression: string
  select(input: unknown): unknown
}

/** Not a function: beside a function, it would take the types from the arguments of that. */
export function isExpression(selector: unknown): selector is Expression {
  return typeof selector === 'object' && selector !== null && 'select' in selector
}
