/** Version of the judge. It moves when an analysis or a verdict can move; cached analyses carry it. */
export const JUDGE_VERSION: string = '4'
