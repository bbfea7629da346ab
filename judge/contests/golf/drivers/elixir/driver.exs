[mark | lines] = IO.stream(:stdio, :line) |> Enum.map(&String.trim_trailing(&1, "\n"))
frame = fn kind, text -> IO.write(mark <> kind <> text <> mark <> "\n") end
code = File.read!(Path.join(__DIR__, "answer"))
name = "{name}"
code = if name != "" and not String.contains?(code, "defmodule") and String.contains?(code, "def "), do: "defmodule Golf.Answer do\n" <> code <> "\nend", else: code
Code.compiler_options(ignore_module_conflict: true)
{last, vars} = Code.eval_string(code)
f =
  cond do
    name == "" -> last
    Keyword.has_key?(vars, String.to_atom(name)) -> vars[String.to_atom(name)]
    true ->
      module = case last do
        {:module, m, _, _} -> m
        _ -> Module.concat([Regex.run(~r/defmodule\s+([\w.]+)/, code) |> Enum.at(1)])
      end
      arity = module.__info__(:functions) |> Keyword.get_values(String.to_atom(name)) |> Enum.min(fn -> 2 end)
      Function.capture(module, String.to_atom(name), arity)
  end
is_function(f) || raise "the answer is not a function"
frame.("l", "")
for line <- lines, line != "" do
  a = line |> String.split() |> Enum.map(&String.to_integer/1)
  try do
    v = {call}
    cond do
      v == :ok or v == nil -> frame.("n", inspect(v))
      is_binary(v) -> frame.("v", v)
      true -> frame.("v", inspect(v, charlists: :as_lists))
    end
  rescue
    e -> frame.("e", inspect(e))
  catch
    _, e -> frame.("e", inspect(e))
  end
end
