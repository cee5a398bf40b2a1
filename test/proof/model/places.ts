export const QUEUE_ARN: string = 'arn:aws:sqs:eu-west-1:123456789012:orders'
export const QUEUE_URL: string = 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders'
export const DEAD_LETTER_URL: string = `${QUEUE_URL}-dead`
/** The queue that handlers send to. */
export const NEXT_URL: string = `${QUEUE_URL}-next`
