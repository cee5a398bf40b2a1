/**
 * A client of SNS: `new SNSClient()` of `@aws-sdk/client-sns` fits. That package is optional, and this type does not import it,
 * so a project that never publishes compiles without it.
 * @example const clientOf = (options: ProducerOptions): SnsClient | undefined => options.sns
 */
export interface SnsClient {
  send(command: object, options?: object): Promise<unknown>
}
