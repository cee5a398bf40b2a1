/** A compiled expression, such as `jmespath('body.orderId')` of `lineclear/middy`: applied to the first argument. */
export interface Expression {
  (input: unknown): unknown
  readonly expression: string
}

export function isExpression(selector: object): selector is Expression {
  return 'expression' in selector
}
