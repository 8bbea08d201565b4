/** Says what is under way, in the document's place. */
export function Waiting({ text }: { text: string }) {
  return (
    <div className="cp-waiting" role="status">
      <span className="cp-spin" aria-hidden />
      {text}
    </div>
  );
}
