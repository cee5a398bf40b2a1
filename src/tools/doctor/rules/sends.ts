/** Whether a statement of a queue's policy is about sending. */
export function sends({ actions }: { readonly actions: readonly string[] }): boolean {
  return actions.some((action) => /^(?:sqs:(?:sendmessage|\*)|\*)$/i.test(action))
}

/** A pattern, or an expression that has a value only after the deployment, may name it. */
export function isPerhaps(arn: string, id: string): boolean {
  return arn === id || /[*?{]/.test(arn)
}
