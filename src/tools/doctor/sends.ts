/** Whether a statement of a queue's policy is about sending. */
export function sends({ actions }: { readonly actions: readonly string[] }): boolean {
  return actions.some((action) => /^(?:sqs:(?:sendmessage|\*)|\*)$/i.test(action))
}
