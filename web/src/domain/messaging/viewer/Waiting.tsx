/** Progress shown in place of the document. */
export function Waiting({ text }: { text: string }) {
  return (
    <div className="cp-waiting" role="status">
      <span className="cp-spin" aria-hidden />
      {text}
    </div>
  );
}
